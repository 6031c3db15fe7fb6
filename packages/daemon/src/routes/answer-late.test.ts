import assert from "node:assert/strict";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { BeeuniError } from "@beeuni/protocol";
import { answerLate } from "./answer-late.ts";
import type { RouteEnvironment } from "./environment.ts";
import { errorResponse } from "./errors.ts";

async function serve(t: TestContext, value: () => Promise<unknown>): Promise<string> {
  const app = new Hono<RouteEnvironment>();
  app.onError((thrown, context) => errorResponse(context, thrown));
  app.get("/", async (context) => await answerLate(context, value(), 20, 5));
  const server = createAdaptorServer(app) as Server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("an answer that comes soon is a plain one, an error too", async (t) => {
  assert.equal(await (await fetch(await serve(t, async () => ({ a: 1 })))).text(), '{"a":1}');
  const failed = await fetch(await serve(t, async () => Promise.reject(new BeeuniError("storage_failed", "full"))));
  assert.deepEqual([failed.status, ((await failed.json()) as { code: string }).code], [507, "storage_failed"]);
});

test("a late answer sends its head in time and signs of life, and is the same JSON", async (t) => {
  const response = await fetch(await serve(t, async () => (await wait(500), { a: 1 })));
  const text = await response.text();
  assert.deepEqual([response.status, JSON.parse(text)], [200, { a: 1 }]);
  assert.match(text, /^ {3,}\{/);
});

test("a late failure breaks the answer off: it never looks like one", async (t) => {
  const response = await fetch(await serve(t, async () => (await wait(40), Promise.reject(new Error("gone")))));
  await assert.rejects(response.text());
});
