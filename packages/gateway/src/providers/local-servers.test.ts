import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { findLocalServers } from "./local-servers.ts";

async function listening(handler: RequestListener): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

const json = (value: unknown, status = 200): RequestListener => (request, response) => {
  response.writeHead(request.url === "/v1/models" ? status : 404, { "content-type": "application/json" }).end(JSON.stringify(value));
};

test("servers that list models are found, with their models; others are passed over", async () => {
  await using lists = await listening(json({ object: "list", data: [{ id: "nomic-embed-text" }, { id: "qwen3:8b", object: "model" }, { id: "long", max_model_len: 8000 }] }));
  await using page = await listening((_request, response) => void response.end("<html>"));
  await using other = await listening(json({ data: "something else" }));
  await using failing = await listening(json({ object: "list", data: [{ id: "m" }] }, 500));
  await using empty = await listening(json({ object: "list", data: [] }));
  await using silent = await listening(() => {});
  const at = (id: string, port: number) => ({ id, label: id.toUpperCase(), port });
  const found = await findLocalServers({
    timeoutMs: 2000,
    servers: [at("page", page.port), at("lists", lists.port), at("other", other.port), at("failing", failing.port), at("empty", empty.port), at("silent", silent.port), at("nobody", 9)],
  });
  const model = (id: string, contextWindow: number, maxOutput: number) => ({ id, name: id, contextWindow, maxOutput, reasoning: false, images: false, variants: {} });
  assert.deepEqual(found, [{
    id: "lists", label: "LISTS", baseUrl: `http://127.0.0.1:${lists.port}/v1`, protocols: ["chat-completions"], closed: true, origin: `found on 127.0.0.1:${lists.port}`,
    models: [model("qwen3:8b", 32_768, 16_384), model("long", 8000, 8000)],
  }]);
});

test("a signal ends the search at once", async () => {
  await using silent = await listening(() => {});
  const stop = new AbortController();
  const search = findLocalServers({ servers: [{ id: "a", label: "A", port: silent.port }], signal: stop.signal });
  const started = performance.now();
  stop.abort();
  assert.deepEqual(await search, []);
  assert.ok(performance.now() - started < 400);
});
