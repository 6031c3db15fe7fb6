import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { BeeuniError } from "@beeuni/protocol";
import { serveDaemon } from "../serve.ts";
import { send, serveBench, TOKEN } from "../testing/client.ts";

const prompt = (text: string, more: object = {}): object => ({ parts: [{ type: "text", text }], ...more });

test("[H-012] create, prompt, read, stop: the whole of a client's work over HTTP", async (t) => {
  const { call, daemon } = await serveBench(t);
  const created = await call("POST", "/beeuni/runtime/sessions", { title: "Mine" });
  const { id } = created.json as { id: string };
  assert.deepEqual([created.status, created.json], [201, await daemon.entry(id)]);
  const answered = await call("POST", `/beeuni/runtime/sessions/${id}/prompt`, prompt("say hello", { wait: true }));
  assert.deepEqual([answered.status, answered.json.deduplicated, answered.json.result.outcome, answered.json.result.id], [200, false, "completed", answered.json.turn]);
  const messages = (await call("GET", `/beeuni/runtime/messages/${id}`)).json;
  assert.deepEqual(messages.map(({ info, parts }: any) => [info.role, parts[0].text]), [["user", "say hello"], ["assistant", "hello"]]);
  assert.deepEqual((await call("GET", `/beeuni/runtime/messages/${id}/${messages[1].info.id}`)).json, messages[1]);
  const running = await call("POST", `/beeuni/runtime/sessions/${id}/prompt`, prompt("hang"));
  assert.deepEqual([running.status, Object.keys(running.json)], [202, ["message", "turn", "deduplicated"]]);
  assert.deepEqual((await call("POST", `/beeuni/runtime/sessions/${id}/abort`)).json, { aborted: true });
  await (await daemon.openSession(id)).prompt({ parts: [{ type: "text", text: "say x" }] }).then(({ done }) => done);
  assert.deepEqual((await call("POST", `/beeuni/runtime/sessions/${id}/abort`)).json, { aborted: false });
  const [entry] = (await call("GET", "/beeuni/runtime/sessions")).json;
  assert.deepEqual([entry.id, entry.title, entry.status, entry.messages], [id, "Mine", { type: "idle" }, 5]);
  assert.deepEqual((await call("GET", `/beeuni/runtime/sessions/${id}`)).json, entry);
  assert.deepEqual((await call("DELETE", `/beeuni/runtime/sessions/${id}`)).json, { removed: true });
  assert.equal((await call("GET", `/beeuni/runtime/sessions/${id}`)).status, 404);
});

test("a repeated prompt is one prompt", async (t) => {
  const { call, daemon } = await serveBench(t);
  const { id } = await daemon.createSession({});
  const body = prompt("say x", { message_id: "msg_0123456789abAAAAAAAAAAAAAA", wait: true });
  const [first, second] = [await call("POST", `/beeuni/runtime/sessions/${id}/prompt`, body), await call("POST", `/beeuni/runtime/sessions/${id}/prompt`, body)];
  assert.deepEqual([first.json.deduplicated, second.json.deduplicated, second.json.result], [false, true, first.json.result]);
});

test("messages come in pages, the newest first page, each in order", async (t) => {
  const { call, daemon } = await serveBench(t);
  const session = await daemon.createSession({});
  for (const word of ["a", "b", "c"]) await (await session.prompt({ parts: [{ type: "text", text: `say ${word}` }] })).done;
  const all = session.state().messages.map(({ info }) => info.id);
  const page = async (query: string): Promise<unknown> => {
    const { json, headers } = await call("GET", `/beeuni/runtime/messages/${session.id}?${query}`);
    return [json.map(({ info }: any) => all.indexOf(info.id)), headers["x-next-cursor"] === undefined ? null : all.indexOf(headers["x-next-cursor"])];
  };
  assert.deepEqual(await page("limit=4"), [[2, 3, 4, 5], 2]);
  assert.deepEqual(await page(`limit=4&before=${all[2]}`), [[0, 1], null]);
  assert.deepEqual(await page("limit=6"), [[0, 1, 2, 3, 4, 5], null]);
  const bad = await call("GET", `/beeuni/runtime/messages/${session.id}?limit=1000`);
  assert.deepEqual([bad.status, bad.json.code], [400, "invalid_request"]);
  assert.equal((await call("GET", `/beeuni/runtime/messages/${session.id}?before=msg_x`)).status, 404);
  assert.equal((await call("GET", `/beeuni/runtime/messages/${session.id}/msg_x`)).json.code, "not_found");
});

test("the state has an ETag: unchanged is 304", async (t) => {
  const { call, daemon } = await serveBench(t);
  const session = await daemon.createSession({});
  const first = await call("GET", `/beeuni/runtime/state?session=${session.id}`);
  assert.deepEqual([first.json.seq, first.json.epoch, first.json.info.id, first.headers["etag"]], [session.log.state.seq, session.log.epoch, session.id, `"${session.log.epoch}:${session.log.state.seq}"`]);
  const authorization = `Bearer ${TOKEN}`;
  const same = await call("GET", `/beeuni/runtime/state?session=${session.id}`, undefined, { authorization, "if-none-match": first.headers["etag"]! });
  assert.deepEqual([same.status, same.text], [304, ""]);
  await (await session.prompt({ parts: [{ type: "text", text: "say x" }] })).done;
  assert.equal((await call("GET", `/beeuni/runtime/state?session=${session.id}`, undefined, { authorization, "if-none-match": first.headers["etag"]! })).status, 200);
  const missing = await call("GET", "/beeuni/runtime/state");
  assert.deepEqual([missing.status, missing.json.error], [400, "session is needed"]);
});

test("permissions and questions are listed and answered over HTTP", async (t) => {
  const files = { "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\nagents:\n  a: {}\n", "agents/a.md": "---\nmode: primary\npermission:\n  bash: ask\n---\n" };
  const { call, daemon } = await serveBench(t, { files });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: [{ type: "text", text: "run echo hi\nask Colour: which? | red" }] });
  let open: any[] = [];
  while (open.length === 0) open = (await call("GET", "/beeuni/runtime/permissions")).json;
  assert.deepEqual([open.length, open[0].patterns], [1, ["echo hi"]]);
  const bad = await call("POST", `/beeuni/runtime/permissions/${open[0].id}/reply`, { reply: "perhaps", when: 1 });
  assert.deepEqual([bad.status, bad.json.code], [400, "invalid_request"]);
  assert.match(bad.json.error, /reply.*once.*; .*when/s);
  assert.deepEqual((await call("POST", `/beeuni/runtime/permissions/${open[0].id}/reply`, { reply: "once" })).json, { replied: true });
  const again = await call("POST", `/beeuni/runtime/permissions/${open[0].id}/reply`, { reply: "once" });
  assert.deepEqual([again.status, again.json.error], [404, `there is no open permission request ${open[0].id}: it was answered, or its turn ended`]);
  open = [];
  while (open.length === 0) open = (await call("GET", "/beeuni/runtime/questions")).json;
  assert.deepEqual((await call("POST", `/beeuni/runtime/questions/${open[0].id}/reply`, { answers: [["red"]] })).json, { replied: true });
  assert.equal((await done).outcome, "completed");
  const dismissed = await session.prompt({ parts: [{ type: "text", text: "ask Colour: which? | red" }] });
  open = [];
  while (open.length === 0) open = (await call("GET", "/beeuni/runtime/questions")).json;
  assert.deepEqual((await call("POST", `/beeuni/runtime/questions/${open[0].id}/reject`)).json, { rejected: true });
  await dismissed.done;
});

test("model calls: listed, found by a message and a part, and their exact bytes", async (t) => {
  const { call, daemon } = await serveBench(t, { scripted: { model: true } });
  const session = await daemon.createSession({});
  const done = await (await session.prompt({ parts: [{ type: "text", text: "say hello there" }] })).done;
  assert.deepEqual([done.outcome, done.calls], ["completed", [0, 1]]);
  const calls = (await call("GET", `/beeuni/runtime/calls?session=${session.id}`)).json;
  const { info, parts } = session.state().messages[1]!;
  assert.deepEqual([calls.length, calls[0].turn, calls[0].end, calls[0].model.asked, calls[0].links], [1, done.id, "complete", "demo", [{ message: info.id, by: "response-id" }]]);
  for (const id of [calls[0].id, info.id, parts[0]!.id]) assert.deepEqual((await call("GET", `/beeuni/runtime/calls/${id}`)).json, calls[0]);
  const request = await call("GET", `/beeuni/runtime/calls/${info.id}/request`);
  assert.deepEqual([request.json.model, request.headers["content-type"], request.headers["x-beeuni-sha256"]], ["demo", "application/octet-stream", calls[0].request.sha256]);
  const response = await call("GET", `/beeuni/runtime/calls/${parts[0]!.id}/response`);
  assert.deepEqual([response.text.startsWith("data: {"), Buffer.byteLength(response.text)], [true, calls[0].response.bytes]);
  const user = await call("GET", `/beeuni/runtime/calls/${session.state().messages[0]!.info.id}`);
  assert.deepEqual([user.status, user.json.code], [404, "call_not_found"]);
  assert.equal((await call("GET", "/beeuni/runtime/calls/cal_0123456789abAAAAAAAAAAAAAA")).json.code, "call_not_found");
});

test("[H-135] [H-140] [H-148] [H-150] [H-153] [H-154] [H-155] what the harness does not offer is answered with 501, a document that it does not have with 404", async (t) => {
  const { call, daemon } = await serveBench(t);
  const { id } = await daemon.createSession({});
  const refused: [string, string, string][] = [
    ["POST", "revert", "session rewind"], ["POST", "unrevert", "session rewind (restore)"], ["POST", "fork", "session fork"], ["POST", "shell", "session shell"],
    ["GET", "todo", "session todo"], ["POST", "summarize", "session compact"], ["POST", "command", "session commands (run)"], ["GET", "mcp", "session mcp"], ["GET", "attach", "session attach"],
  ];
  for (const [method, path, what] of refused) {
    const { status, json } = await call(method, `/session/${id}/${path}`, method === "POST" ? {} : undefined);
    assert.deepEqual([status, json], [501, {
      code: "feature_not_supported", error: `${what} is not supported by the scripted harness`, hint: "`beeuni harness show scripted` lists what it offers",
      name: "FeatureNotSupportedError", data: { message: `${what} is not supported by the scripted harness` },
    }]);
    assert.equal((await call(method, `/session/ses_0123456789abAAAAAAAAAAAAAA/${path}`)).json.code, "session_not_found");
  }
  for (const [method, path, what] of [["PATCH", "message/m/part/p", "part edits"], ["DELETE", "message/m/part/p", "part edits"], ["DELETE", "message/m", "message edits"]] as const) {
    const { status, json } = await call(method, `/session/${id}/${path}`);
    assert.deepEqual([status, json.code, json.error], [501, "feature_not_supported", `${what} are not supported by the scripted harness`]);
  }
  for (const method of ["GET", "POST"]) assert.deepEqual((await call(method, "/mcp")).status, 501);
  const config = await call("GET", "/global/config");
  assert.deepEqual([config.status, config.json.code, config.json.error], [404, "not_found", "the scripted harness has no configuration document"]);
  assert.deepEqual((await daemon.health(id)).capabilities, []);
});

test("what the harness offers is done", async (t) => {
  const capabilities = ["session.rewind", "session.shell", "session.todo", "session.mcp", "session.config"] as const;
  const { call, daemon } = await serveBench(t, { scripted: { capabilities } });
  const session = await daemon.createSession({});
  await (await session.prompt({ parts: [{ type: "text", text: "say x" }] })).done;
  assert.deepEqual([...(await daemon.health(session.id)).capabilities].sort(), [...capabilities].sort());
  assert.equal((await call("GET", `/session/${session.id}/todo`)).status, 200);
  assert.equal((await call("POST", `/session/${session.id}/shell`, { command: "true" })).status, 200);
  assert.deepEqual((await call("POST", `/session/${session.id}/shell`, {})).json.error, "command is needed");
  assert.equal((await call("GET", "/mcp")).status, 200);
  assert.equal((await call("GET", "/global/config")).status, 200);
  assert.equal((await call("POST", `/session/${session.id}/fork`, {})).status, 501);
});

test("health needs no token and is 200 whatever happens", async (t) => {
  const { server, daemon, directory } = await serveBench(t);
  const health = async (query = ""): Promise<any> => {
    const { status, json } = await send(server.url, "GET", `/beeuni/health${query}`, undefined, {});
    assert.equal(status, 200);
    return json;
  };
  const before = await health();
  assert.deepEqual([before.daemon, before.status, before.harness.id, before.harness.session, before.directory, before.auth], ["ok", "ok", "scripted", { id: null, required: false }, directory, "configured"]);
  const session = await daemon.createSession({});
  await session.runner.ready(session.state().info.model);
  const open = await health();
  assert.deepEqual([open.status, open.runtimeReady, open.harness.session.id, open.harness.decision, open.harness.turn, open.epoch], [
    "ok", true, session.id, session.decision, { in_flight: false, end: null, orphaned_prompt: false }, session.log.epoch,
  ]);
  assert.deepEqual(Object.keys(open.harness.support).length, 11);
  await session.close();
  assert.deepEqual([(await health(`?session=${session.id}`)).status, (await health("?session=ses_x")).status], ["down", "error"]);
});

test("without the token, with a wrong one, under another host's name or from a page of another origin there is no answer", async (t) => {
  const { server } = await serveBench(t);
  const { port } = new URL(server.url);
  const ask = async (headers: { [name: string]: string }): Promise<unknown> => {
    const { status, json } = await send(server.url, "GET", "/beeuni/runtime/sessions", undefined, headers);
    return [status, json.code ?? "fine"];
  };
  const authorization = `Bearer ${TOKEN}`;
  assert.deepEqual(await ask({}), [401, "unauthorized"]);
  assert.deepEqual(await ask({ authorization: "Bearer secret-tokem" }), [401, "unauthorized"]);
  assert.deepEqual(await ask({ authorization: TOKEN }), [401, "unauthorized"]);
  assert.deepEqual(await ask({ authorization }), [200, "fine"]);
  assert.deepEqual(await ask({ authorization, host: `localhost:${port}`, origin: `http://localhost:${port}` }), [200, "fine"]);
  assert.deepEqual(await ask({ authorization, host: `attacker.test:${port}` }), [403, "forbidden"]);
  assert.deepEqual(await ask({ authorization, origin: "http://attacker.test" }), [403, "forbidden"]);
  assert.deepEqual(await ask({ authorization, origin: "null" }), [403, "forbidden"]);
});

test("whatever is wrong with a request is answered as JSON, with all problems", async (t) => {
  const { call, daemon } = await serveBench(t, { serve: { bodyLimit: 2048 } });
  const { id } = await daemon.createSession({});
  const problem = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, json } = await call(method, path, body);
    return [status, json.code, json.error];
  };
  assert.deepEqual(await problem("GET", "/nothing/here"), [404, "not_found", "there is no handler for GET /nothing/here"]);
  assert.deepEqual(await problem("PUT", "/beeuni/runtime/sessions"), [404, "not_found", "there is no handler for PUT /beeuni/runtime/sessions"]);
  const [status, code, error] = await problem("POST", `/beeuni/runtime/sessions/${id}/prompt`, "{oops") as [number, string, string];
  assert.deepEqual([status, code, error.startsWith("the body is not JSON: ")], [400, "invalid_request", true]);
  assert.deepEqual(await problem("POST", `/beeuni/runtime/sessions/${id}/prompt`, { parts: [], message_id: "7", stop: 1 }), [
    400, "invalid_request", 'message_id: must be a message id (msg_…); parts must be a non-empty array; Unrecognized key: "stop"',
  ]);
  assert.deepEqual(await problem("POST", `/beeuni/runtime/sessions/${id}/prompt`, prompt("x".repeat(4000))), [413, "body_too_large", "the body is larger than 2 KiB"]);
  assert.deepEqual(await problem("POST", "/beeuni/runtime/sessions", { agent: "nobody" }), [404, "agent_not_found", `there is no agent "nobody" in ${daemon.directory}`]);
});

test("a port that is taken is named, with what to do", async (t) => {
  const { daemon } = await serveBench(t);
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  await assert.rejects(serveDaemon(daemon, { token: TOKEN, port }), (error: BeeuniError) => {
    assert.deepEqual(error.toBody(), { code: "port_in_use", error: `the daemon can't listen on 127.0.0.1:${port}: the port is taken`, hint: "choose another port with --port, or leave it out for a free one" });
    return true;
  });
});

test("a restart decides the harness anew and answers the health document", async (t) => {
  const { call, daemon } = await serveBench(t);
  const session = await daemon.createSession({});
  const { status, json } = await call("POST", `/beeuni/runtime/sessions/${session.id}/restart`);
  assert.deepEqual([status, json.harness.id, json.epoch === session.log.epoch], [200, "scripted", false]);
});

test("a 20 MB prompt is taken and read back", async (t) => {
  const { call, daemon } = await serveBench(t);
  const { id } = await daemon.createSession({});
  const filler = `# ${"x".repeat(20 * 1024 * 1024)}`;
  const { status, json } = await call("POST", `/beeuni/runtime/sessions/${id}/prompt`, prompt(`${filler}\nsay done`, { wait: true }));
  assert.deepEqual([status, json.result.outcome], [200, "completed"]);
  const [asked] = (await call("GET", `/beeuni/runtime/messages/${id}`)).json;
  assert.equal(asked.parts[0].text.length, filler.length + 9);
});
