import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol";
import { Bridge, type BridgeHandlers } from "./bridge.ts";

async function open(handlers: Partial<BridgeHandlers>): Promise<{ bridge: Bridge; post(path: string, body: unknown, init?: RequestInit): Promise<[number, unknown]> } & AsyncDisposable> {
  const bridge = await Bridge.open({
    hello: () => {}, authorize: async () => ({ allow: true }), runTool: async () => { throw new BeeuniError("not_found", "no tool named x is loaded"); }, ...handlers,
  });
  return {
    bridge,
    async post(path, body, init = {}) {
      const response = await fetch(bridge.url + path, { method: "POST", headers: { authorization: `Bearer ${bridge.token}` }, body: typeof body === "string" ? body : JSON.stringify(body), ...init });
      return [response.status, await response.json()];
    },
    [Symbol.asyncDispose]: () => bridge.close(),
  };
}

describe("the bridge", () => {
  test("nothing is answered without its token", async () => {
    let asked = 0;
    await using endpoint = await open({ authorize: async () => (asked++, { allow: true }) });
    for (const authorization of [undefined, "Bearer x", `Bearer ${"0".repeat(64)}`, `Basic ${endpoint.bridge.token}`]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      assert.deepEqual(await endpoint.post("/beeuni/authorize", {}, { headers }), [401, { error: "unauthorized" }]);
    }
    assert.equal(asked, 0);
  });

  test("[H-083] a tool's result, and each way to fail, have their status", async () => {
    const failures: { [name: string]: Error } = {
      denied: new BeeuniError("denied", "The project policy denies this call."), forbidden: new BeeuniError("forbidden", "agent a may not use x"),
      absent: new BeeuniError("not_found", "no tool named absent is loaded"), broken: new Error("there is no such word"),
    };
    await using endpoint = await open({
      runTool: async (name, { args, agent, directory }) => {
        if (failures[name] !== undefined) throw failures[name];
        return { output: JSON.stringify({ name, args, agent, directory }), metadata: { from: "host" } };
      },
    });
    assert.deepEqual(await endpoint.post("/beeuni/tools/look%20up", { args: { a: 1 }, agent: "main", directory: "/w" }), [200, { output: '{"name":"look up","args":{"a":1},"agent":"main","directory":"/w"}', metadata: { from: "host" } }]);
    const answers = await Promise.all(Object.keys(failures).map((name) => endpoint.post(`/beeuni/tools/${name}`, {})));
    assert.deepEqual(answers, [
      [403, { error: "The project policy denies this call." }], [403, { error: "agent a may not use x" }], [404, { error: "no tool named absent is loaded" }], [422, { error: "there is no such word" }],
    ]);
  });

  test("a decision that fails is a no, and bad requests are told so", async () => {
    await using endpoint = await open({ authorize: async () => { throw new Error("the log is full"); } });
    assert.deepEqual(await endpoint.post("/beeuni/authorize", {}), [200, { allow: false, message: "The host could not decide about the call: the log is full" }]);
    assert.equal((await endpoint.post("/beeuni/authorize", "{"))[0], 400);
    assert.deepEqual(await endpoint.post("/beeuni/hello", "[]"), [400, { error: "the body is no JSON object" }]);
    assert.equal((await endpoint.post("/session/x/permissions/y", {}))[0], 404);
  });

  test("a plugin that hangs up stops the tool", async () => {
    const started = Promise.withResolvers<AbortSignal>();
    await using endpoint = await open({
      runTool: async (_name, _request, signal) => {
        started.resolve(signal);
        await once(signal, "abort");
        throw new Error("stopped");
      },
    });
    const client = new AbortController();
    const request = endpoint.post("/beeuni/tools/slow", {}, { headers: { authorization: `Bearer ${endpoint.bridge.token}` }, signal: client.signal });
    const signal = await started.promise;
    client.abort();
    await assert.rejects(request);
    if (!signal.aborted) await once(signal, "abort");
  });
});
