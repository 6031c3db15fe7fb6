import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { agentSpec } from "@beeuni/conformance";
import { createFauxServer } from "@beeuni/gateway/faux";
import { agentSet, PiKit, type WireRequest } from "./testing/pi-kit.ts";

const RECORDED = join(import.meta.dirname, "../../../gateway/src/testing/fixtures");
const files = (protocol: string, ...names: string[]): { files: string[] } => ({ files: names.map((name) => join(RECORDED, `${protocol}-${name}.sse`)) });

async function replaying(): Promise<{ url: string; close(): Promise<void> }> {
  const server = await createFauxServer({ messages: files("messages", "1-tool-use", "2-text"), responses: files("responses", "1-tool-call", "2-text") });
  return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
}

describe("Pi over the other protocols", () => {
  test("[H-038] Messages: the provider's own dialect, to the gateway, with sampling and variant", async () => {
    await using pi = await PiKit.start(replaying);
    const endpoint = pi.endpoint({ ref: { provider: "anthropic", id: "m" }, wireId: "m", protocols: ["messages"], reasoning: true, variants: { high: { reasoning_effort: "high" } }, maxOutput: 32_000 });
    const opened = await pi.open({ endpoint });
    const model = { provider: "anthropic", id: "m" };
    await pi.kit.completed(opened, "look", { model });
    assert.deepEqual(pi.kit.wire.exchanges.map(({ path }) => path.split("?")[0]), ["/v1/messages", "/v1/messages"]);
    const { host } = opened;
    assert.deepEqual(host.of("tool.call").map(({ tool, input }) => [tool, input]), [["bash", { command: "ls -a" }]]);
    assert.deepEqual(host.of("part.start").map(({ kind }) => kind), ["reasoning", "text", "text"]);
    assert.match(host.texts()[0] ?? "", /größe 世界 🙂/);
    assert.deepEqual(host.of("message.end").map(({ responseId, finish, usage }) => [responseId?.startsWith("msg_"), finish, usage?.input]), [[true, "tool-calls", 412], [true, "stop", host.of("message.end")[1]?.usage?.input]]);
    const second = pi.requests[1] as unknown as { messages: { role: string; content: { type: string; tool_use_id?: string }[] }[]; system: unknown };
    assert.deepEqual(second.messages.at(-1)?.content.map(({ type, tool_use_id }) => [type, tool_use_id]), [["tool_result", "toolu_01Fixture"]]);
    assert.match(JSON.stringify(second.system), /You are a coding agent/);

    assert.ok(!("thinking" in second), "no variant was chosen, and the request speaks of thinking");

    await pi.kit.completed(opened, "think", { model: { ...model, variant: "high" } });
    const thinking = pi.lastRequest as WireRequest & { thinking?: { type: string } };
    assert.match(JSON.stringify(thinking["thinking"]), /enabled|adaptive/);
  });

  test("Responses: the provider's own dialect, to the gateway", async () => {
    await using pi = await PiKit.start(replaying);
    const endpoint = pi.endpoint({ ref: { provider: "openai", id: "m" }, wireId: "m", protocols: ["responses", "chat-completions"], reasoning: true, variants: { low: { reasoning_effort: "low" }, none: { reasoning_effort: "none" } } });
    const opened = await pi.open({ endpoint });
    await pi.kit.completed(opened, "look", { model: { provider: "openai", id: "m", variant: "low" } });
    assert.deepEqual(pi.kit.wire.exchanges.map(({ path }) => path), ["/v1/responses", "/v1/responses"]);
    const { host } = opened;
    assert.deepEqual(host.of("tool.call").map(({ tool }) => tool), ["bash"]);
    assert.equal(host.of("tool.end").length, 1);
    assert.deepEqual(host.of("message.end").map(({ responseId, finish }) => [responseId?.startsWith("resp_"), finish]), [[true, "tool-calls"], [true, "stop"]]);
    const { reasoning, input } = pi.lastRequest as unknown as { reasoning: { effort: string }; input: { type?: string; call_id?: string }[] };
    assert.equal(reasoning.effort, "low");
    await pi.kit.completed(opened, "again", { model: { provider: "openai", id: "m" } });
    assert.ok(!("reasoning" in pi.lastRequest), "no variant was chosen, and the request speaks of reasoning");
    await pi.kit.completed(opened, "again", { model: { provider: "openai", id: "m", variant: "none" } });
    assert.deepEqual(pi.lastRequest["reasoning"], { effort: "none" });
    assert.deepEqual(input.filter(({ type }) => type === "function_call_output").map(({ call_id }) => call_id), ["call_fixture1"]);
  });

  test("top_p and a hidden tool mean the same in every protocol", async () => {
    await using pi = await PiKit.start(replaying);
    for (const protocol of ["messages", "responses"] as const) {
      const endpoint = pi.endpoint({ protocols: [protocol] });
      const opened = await pi.open({ endpoint, agents: agentSet({ agents: [agentSpec({ topP: 0.5, temperature: 0.3, tools: { kind: "only", names: ["read"] } })] }) });
      await pi.kit.turn(opened, "look");
      const { top_p, temperature, tools } = pi.lastRequest as unknown as { top_p: number; temperature: number; tools: { name: string }[] };
      assert.deepEqual([top_p, temperature, tools.map(({ name }) => name)], [0.5, 0.3, ["read"]], protocol);
      assert.deepEqual(opened.host.results(), ["denied: The project policy denies this bash call."], protocol);
    }
  });
});
