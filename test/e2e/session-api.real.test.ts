import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { SESSION_CAPABILITY_IDS, type SessionEntry } from "@beeuni/protocol";
import { type MessageWithParts, runtimeSupports } from "@beeuni/sdk";
import { beeuni, beeuniJson } from "./support/cli.ts";
import { ModelServer, toolNames, toolResults } from "./support/model-server.ts";
import { Place } from "./support/place.ts";
import { childrenOf, tcpSockets } from "./support/processes.ts";
import { Server } from "./support/serve.ts";
import { completed, conversation, eventsUntil, promptOf, stateWhen } from "./support/session.ts";

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe("a session on the real harness, seen through its API", () => {
  let place: Place;
  let model: ModelServer;
  let server: Server;
  before(async () => {
    place = new Place();
    model = await ModelServer.start();
    place.configure({ up: model.provider });
    server = await Server.start(place, ["--model", "up/demo"]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  test("[H-001] [H-006] model requests come from the process that holds the session, and from no other; one harness, no further process", async () => {
    const { client } = server;
    const { id } = await client.sessions.create();
    await client.sessions.prompt(id, promptOf("[[hang]]"));
    await model.until(({ requests }) => requests.some(({ body }) => JSON.stringify(body.messages).includes("[[hang]]")));
    const sockets = tcpSockets();
    const apiPort = Number(new URL(server.url).port);
    const [gatewayPort, ...more] = sockets.filter(({ remotePort, localPort, owners }) => remotePort === 0 && owners.includes(server.pid) && localPort !== apiPort).map(({ localPort }) => localPort);
    assert.deepEqual(more, [], "the server listens for its API and for its gateway");
    const callers = sockets.filter(({ remotePort }) => remotePort === gatewayPort).flatMap(({ owners }) => owners);
    assert.deepEqual([...new Set(callers)], [server.pid]);
    // The one who asked over the API, this process, has no part in it.
    assert.ok(sockets.some(({ remotePort, owners }) => remotePort === apiPort && owners.includes(process.pid)));
    assert.deepEqual(childrenOf(server.pid), []);
    const { harness } = await client.health(id);
    assert.deepEqual([harness.id, harness.state, harness.version], ["pi", "ok", "1.6.0"]);
    await client.sessions.abort(id);
    await stateWhen(client, id, ({ status }) => status.type === "idle");
  });

  test("[H-002] [H-003] [H-033] [H-034] a turn: the tool runs, its result reaches the model, the answer streams, and all of it is the transcript", async () => {
    const { client } = server;
    const { id } = await client.sessions.create();
    const before = model.requests.length;
    const [{ result }, events] = await Promise.all([
      client.sessions.promptAndWait(id, promptOf("[[say: Let me see.]] [[shell: echo hi]] [[text: It says hi, in three pieces at least.]]")),
      eventsUntil(client, id, (event) => event.type === "turn.ended"),
    ]);
    assert.equal(result.outcome, "completed");
    assert.deepEqual(model.requests.slice(before).map(({ body }) => toolResults(body)), [[], ["hi\n"]]);
    const { messages } = await client.sessions.messages(id);
    assert.deepEqual(messages.map(({ info, parts }) => [info.role, ...parts.map(({ type }) => type)]), [["user", "text"], ["assistant", "text", "tool"], ["assistant", "text"]]);
    const [, { parts: [, tool] }, { info, parts: [text] }] = messages as [MessageWithParts, MessageWithParts, MessageWithParts];
    assert.ok(tool?.type === "tool" && tool.state.status === "completed");
    assert.deepEqual([tool.state.input, tool.state.output], [{ command: "echo hi" }, "hi\n"]);
    assert.ok(info.role === "assistant" && info.endedAt !== undefined && info.usage !== null && info.finish === "stop");
    const ended = events.findIndex((event) => event.type === "message.updated" && event.message === info.id);
    const deltas = events.slice(0, ended).flatMap((event) => (event.type === "part.delta" && event.part === text!.id ? [event.delta] : []));
    assert.ok(deltas.length >= 3, `${deltas.length} deltas`);
    assert.ok("It says hi, in three pieces at least.".startsWith(deltas.join("")));
  });

  test("[H-012] one script, create, prompt, list, stop: through the SDK and through the command line, on the same sessions", async () => {
    const { client } = server;
    const bySdk = (await client.sessions.create({ title: "by the SDK" })).id;
    await completed(client, bySdk, "[[shell: echo one]] [[text: done]]");
    const byCli = (await beeuniJson<{ session: { id: string } }>(place, ["run", "--model", "up/demo", "--title", "by the command line", "[[shell: echo one]] [[text: done]]"])).session.id;
    for (const id of [bySdk, byCli]) {
      const viaSdk = (await client.sessions.messages(id)).messages;
      const viaCli = await beeuniJson<MessageWithParts[]>(place, ["session", "messages", id]);
      assert.deepEqual(viaCli, viaSdk);
      assert.deepEqual(conversation({ messages: viaSdk }), ["user: [[shell: echo one]] [[text: done]]", "bash completed: one", "assistant: done"]);
    }
    const listed = await client.sessions.list();
    assert.deepEqual(await beeuniJson<SessionEntry[]>(place, ["session", "ls"]), listed);
    assert.deepEqual(listed.slice(0, 2).map(({ title }) => title), ["by the command line", "by the SDK"]);
    // Stop: a turn that the SDK began, stopped by the command line; a turn that the command line began on the server, stopped by the SDK.
    await client.sessions.prompt(bySdk, promptOf("[[hang]]"));
    assert.equal((await beeuni(place, ["session", "abort", bySdk])).stdout, `stopping ${bySdk}\n`);
    assert.equal((await stateWhen(client, bySdk, ({ status }) => status.type === "idle")).turns.at(-1)!.outcome, "aborted");
    const running = beeuni(place, ["run", "-r", byCli, "[[hang]]"]);
    await stateWhen(client, byCli, ({ status }) => status.type === "busy");
    assert.equal(await client.sessions.abort(byCli), true);
    assert.equal((await running).code, 130);
    assert.equal((await beeuni(place, ["session", "abort", bySdk])).stdout, `nothing runs in ${bySdk}\n`);
  });

  test("[H-032] runtimeSupports answers as the capabilities of the health document say", async () => {
    assert.deepEqual([
      runtimeSupports(null, "session.fork"), runtimeSupports(undefined, "session.fork"), runtimeSupports(["file.import"], "session.fork"),
      runtimeSupports(["session.compact"], "session.fork"), runtimeSupports(["session.fork"], "session.fork"),
    ], [true, true, true, false, true]);
  });

  test("[H-029] [H-135] [H-140] [H-148] [H-150] [H-153] [H-154] [H-155] functions that the harness does not offer are not listed, and answered with 501 or 404, never with success", async () => {
    const { client } = server;
    const { id } = await client.sessions.create();
    await completed(client, id, "[[text: done]]");
    const health = await client.health(id);
    assert.equal(health.harness.id, "pi");
    for (const capability of ["session.rewind", "session.todo", "session.fork", "session.shell"]) assert.ok(!health.capabilities.includes(capability), capability);
    assert.ok(!toolNames(model.last).includes("todowrite"));

    const { info } = (await client.sessions.messages(id)).messages[0]!;
    const requests: { [capability: string]: [string, string, object?][] } = {
      "session.rewind": [["POST", `/session/${id}/revert`, { messageID: info.id }], ["POST", `/session/${id}/unrevert`]],
      "session.fork": [["POST", `/session/${id}/fork`, { messageID: info.id }]],
      "session.shell": [["POST", `/session/${id}/shell`, { command: "touch shell-turn" }]],
      "session.todo": [["GET", `/session/${id}/todo`]],
      "session.compact": [["POST", `/session/${id}/summarize`, {}]],
      "session.commands": [["POST", `/session/${id}/command`, { command: "x", arguments: "" }]],
      "session.mcp": [["GET", `/session/${id}/mcp`], ["GET", "/mcp"]],
      "session.attach": [["GET", `/session/${id}/attach`]],
      "session.config": [["GET", "/global/config"], ["PATCH", "/global/config", {}]],
      "session.subagents": [],
    };
    assert.deepEqual(Object.keys(requests).sort(), [...SESSION_CAPABILITY_IDS].sort(), "every function is asked for");
    for (const [capability, tries] of Object.entries(requests)) {
      if (health.capabilities.includes(capability)) continue;
      for (const [method, path, body] of tries) {
        const { status, body: answer } = await server.fetch(path, { method, ...(body === undefined ? {} : { body }) });
        const { code, error } = answer as { code: string; error: string };
        const isDocument = path === "/global/config";
        assert.deepEqual([status, code], isDocument ? [404, "not_found"] : [501, "feature_not_supported"], `${method} ${path}: ${JSON.stringify(answer)}`);
        assert.match(error, isDocument ? /^the pi harness has no configuration document$/ : /is not supported by the pi harness$/);
      }
    }
    // No harness's contract has edits of a message: the function is known and not offered.
    for (const [method, path] of [["PATCH", `/session/${id}/message/${info.id}`], ["DELETE", `/session/${id}/message/${info.id}/part/prt_1`]] as const) {
      assert.deepEqual([(await server.fetch(path, { method })).status, ((await server.fetch(path, { method })).body as { code: string }).code], [501, "feature_not_supported"]);
    }
    // Nothing was done all the same.
    assert.deepEqual(conversation(await client.sessions.state(id)), ["user: [[text: done]]", "assistant: done"]);
    for (const path of ["/session/ses_none/fork", "/beeuni/runtime/sessions/ses_none", "/nowhere"]) {
      assert.equal((await server.fetch(path, { method: path.endsWith("fork") ? "POST" : "GET" })).status, 404);
    }
  });
});

test("[H-023] [H-152] with provider keys in the environment every model request goes through the gateway, and no other provider is contacted", async () => {
  using place = new Place();
  await using model = await ModelServer.start();
  const contacted: string[] = [];
  const trap = createServer((request, response) => {
    contacted.push(`${request.method} ${request.url}`);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const elsewhere = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  try {
    const { code, stdout, stderr } = await beeuni(place, ["run", "-q", "--model", "openai/gpt-4o", "[[shell: env]] [[text: done]]"], {
      env: {
        OPENAI_API_KEY: "sk-of-the-user", OPENAI_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-other", ANTHROPIC_BASE_URL: elsewhere, GEMINI_API_KEY: "sk-third", PI_API_KEY: "x",
        HTTP_PROXY: elsewhere, HTTPS_PROXY: elsewhere, http_proxy: elsewhere, https_proxy: elsewhere, OTEL_EXPORTER_OTLP_ENDPOINT: elsewhere,
      },
    });
    assert.deepEqual([code, stdout], [0, "done\n"], stderr);
    assert.deepEqual(contacted, []);
    const calls = await beeuniJson<{ request: { sha256: string }; target: string }[]>(place, ["call", "ls"]);
    assert.deepEqual(calls.map(({ request, target }) => [request.sha256, target]), model.requests.map(({ bytes }) => [digest(bytes), "/s/***/v1/chat/completions"]));
    // The key is the gateway's: the harness never had it, and its commands see none.
    assert.deepEqual(model.requests.map(({ headers }) => headers.get("authorization")), ["Bearer sk-of-the-user", "Bearer sk-of-the-user"]);
    assert.doesNotMatch(toolResults(model.last)[0]!, /sk-|BEEUNI_|_KEY|_PROXY/);
  } finally {
    trap.close();
  }
});
