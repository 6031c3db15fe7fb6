import { BeeuniError, createClient, runtimeSupports } from "@beeuni/sdk";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answer } from "./scripted-server.ts";

let reply: (request: IncomingMessage, response: ServerResponse) => void;
const seen: { line: string; authorization: string | undefined; body: unknown }[] = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization, body: body === "" ? undefined : JSON.parse(body) });
  reply(request, response);
});
let url: string;
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test("[H-012] every method asks for its route and answers what the server said", async () => {
  const client = createClient({ url: `${url}/`, token: "secret" });
  const bytes = Buffer.from([0, 255, 10, 13]);
  reply = (request, response) => {
    if (/\/(request|response)$/.test(request.url!)) response.end(bytes);
    else answer(response, 200, { url: request.url, aborted: true }, request.url!.includes("limit=2") ? { "x-next-cursor": "msg_9" } : {});
  };
  const cases: [() => Promise<unknown>, string, unknown, unknown][] = [
    [() => client.health(), "GET /beeuni/health", undefined, "json"],
    [() => client.health("ses_1"), "GET /beeuni/health?session=ses_1", undefined, "json"],
    [() => client.agents(), "GET /beeuni/runtime/agents", undefined, "json"],
    [() => client.sessions.list(), "GET /beeuni/runtime/sessions", undefined, "json"],
    [() => client.sessions.create({ model: "faux/demo" }), "POST /beeuni/runtime/sessions", { model: "faux/demo" }, "json"],
    [() => client.sessions.create(), "POST /beeuni/runtime/sessions", {}, "json"],
    [() => client.sessions.get("ses_1"), "GET /beeuni/runtime/sessions/ses_1", undefined, "json"],
    [() => client.sessions.get("a/../b?c"), "GET /beeuni/runtime/sessions/a%2F..%2Fb%3Fc", undefined, "json"],
    [() => client.sessions.remove("ses_1"), "DELETE /beeuni/runtime/sessions/ses_1", undefined, undefined],
    [() => client.sessions.prompt("ses_1", "hi"), "POST /beeuni/runtime/sessions/ses_1/prompt", { parts: [{ type: "text", text: "hi" }] }, "json"],
    [
      () => client.sessions.promptAndWait("ses_1", { parts: [{ type: "text", text: "hi" }], agent: "build" }),
      "POST /beeuni/runtime/sessions/ses_1/prompt", { parts: [{ type: "text", text: "hi" }], agent: "build", wait: true }, "json",
    ],
    [() => client.sessions.abort("ses_1"), "POST /beeuni/runtime/sessions/ses_1/abort", undefined, true],
    [() => client.sessions.restart("ses_1"), "POST /beeuni/runtime/sessions/ses_1/restart", undefined, "json"],
    [() => client.sessions.message("ses_1", "msg_1"), "GET /beeuni/runtime/messages/ses_1/msg_1", undefined, "json"],
    [() => client.sessions.state("ses_1"), "GET /beeuni/runtime/state?session=ses_1", undefined, "json"],
    [() => client.permissions.list(), "GET /beeuni/runtime/permissions", undefined, "json"],
    [() => client.permissions.reply("per_1", { reply: "always" }), "POST /beeuni/runtime/permissions/per_1/reply", { reply: "always" }, undefined],
    [() => client.questions.list(), "GET /beeuni/runtime/questions", undefined, "json"],
    [() => client.questions.reply("que_1", [["a"]]), "POST /beeuni/runtime/questions/que_1/reply", { answers: [["a"]] }, undefined],
    [() => client.questions.reject("que_1"), "POST /beeuni/runtime/questions/que_1/reject", undefined, undefined],
    [() => client.calls.list("ses_1"), "GET /beeuni/runtime/calls?session=ses_1", undefined, "json"],
    [() => client.calls.get("prt_1"), "GET /beeuni/runtime/calls/prt_1", undefined, "json"],
    [() => client.calls.request("cal_1"), "GET /beeuni/runtime/calls/cal_1/request", undefined, new Uint8Array(bytes)],
    [() => client.calls.response("cal_1"), "GET /beeuni/runtime/calls/cal_1/response", undefined, new Uint8Array(bytes)],
  ];
  for (const [call, line, body, result] of cases) {
    seen.length = 0;
    const answered = await call();
    assert.deepEqual(seen, [{ line, authorization: "Bearer secret", body }]);
    assert.deepEqual(answered, result === "json" ? { url: line.split(" ")[1], aborted: true } : result, line);
  }
  assert.deepEqual(await client.sessions.messages("ses_1", { limit: 2, before: "msg_5" }), {
    messages: { url: "/beeuni/runtime/messages/ses_1?limit=2&before=msg_5", aborted: true }, before: "msg_9",
  });
  assert.deepEqual(Object.keys(await client.sessions.messages("ses_1")), ["messages"]);
});

test("an error of the server keeps its code, message and hint; a foreign one gets the nearest code", async () => {
  const client = createClient({ url, token: "secret" });
  const cases: [number, string, object][] = [
    [409, '{"code":"session_locked","error":"open in process 7","hint":"end it"}', { code: "session_locked", message: "open in process 7", hint: "end it" }],
    [501, '{"code":"feature_not_supported","error":"no fork"}', { code: "feature_not_supported", message: "no fork", hint: undefined }],
    [404, "<h1>nginx</h1>", { code: "not_found", message: "the server answered 404 to /beeuni/runtime/sessions: <h1>nginx</h1>", hint: undefined }],
    [500, '{"code":"constructor"}', { code: "internal", message: 'the server answered 500 to /beeuni/runtime/sessions: {"code":"constructor"}', hint: undefined }],
    [401, "null", { code: "unauthorized", message: "the server answered 401 to /beeuni/runtime/sessions: null", hint: undefined }],
  ];
  for (const [status, body, expected] of cases) {
    reply = (_, response) => void response.writeHead(status).end(body);
    const thrown = await client.sessions.list().catch((error: unknown) => error);
    assert.ok(thrown instanceof BeeuniError);
    assert.deepEqual({ code: thrown.code, message: thrown.message, hint: thrown.hint }, expected);
  }
});

test("no server, a broken answer and one that is no JSON are told apart; an abort comes through", async () => {
  const nobody = createServer().listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  await assert.rejects(createClient({ url: `http://127.0.0.1:${port}` }).health(), {
    code: "no_server", message: `no answer from the server at http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`, hint: "is `beeuni serve` still running?",
  });
  const client = createClient({ url, token: "secret" });
  reply = (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("[1,");
    setImmediate(() => response.destroy());
  };
  await assert.rejects(client.sessions.list(), { code: "no_server" });
  reply = (_, response) => void response.end("hello");
  await assert.rejects(client.sessions.list(), { code: "internal", message: `${url} did not answer JSON` });
  reply = () => controller.abort(new Error("enough"));
  const controller = new AbortController();
  await assert.rejects(client.sessions.list({ signal: controller.signal }), /enough/);
});

test("[H-032] runtimeSupports: true before there is a health document and for a daemon that lists no session function, else membership", () => {
  assert.deepEqual(
    [
      runtimeSupports(null, "session.fork"), runtimeSupports(undefined, "session.fork"), runtimeSupports(["file.import"], "session.fork"),
      runtimeSupports(["session.compact"], "session.fork"), runtimeSupports(["session.fork"], "session.fork"),
    ],
    [true, true, true, false, true],
  );
});

test("the client runs in a browser: nothing that it imports needs Node", () => {
  const files = new Set<string>();
  const bare = new Set<string>();
  const follow = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";$/gm)) {
      if (specifier!.startsWith(".")) follow(resolve(dirname(file), specifier!));
      else if (specifier!.startsWith("@beeuni/")) follow(createRequire(file).resolve(specifier!));
      else bare.add(specifier!);
    }
  };
  follow(resolve(import.meta.dirname, "index.ts"));
  assert.deepEqual([...bare].sort(), ["eventsource-parser", "zod"]);
  assert.ok(readdirSync(import.meta.dirname).length > 8 && files.size > 30, `${files.size} files were followed`);
});
