import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BeeuniError } from "@beeuni/protocol";
import { agentSet, agentSpec } from "../specs.ts";
import type { Cell } from "./cell.ts";
import { toolsOfLastRequest } from "./permissions.ts";

const LOOKUP = {
  name: "lookup",
  description: "Looks a word up.",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
};

export const hostTools: Cell = {
  key: "hostTools",
  title: "the host's tools are offered, authorized and run by the host; result and failure reach the model",
  prove: async (kit) => {
    const opened = await kit.open({ agents: agentSet({ hostTools: [LOOKUP] }) }, {
      runTool: async ({ input }) => {
        if (input["word"] === "nothing") throw new BeeuniError("not_found", "there is no such word");
        return { output: `${String(input["word"])}: a bright thing`, metadata: { from: "host" } };
      },
    });
    const { host } = opened;
    await kit.completed(opened, kit.prompts.tool("lookup", { word: "lamp" }, "found"));
    assert.deepEqual(host.authorized.map(({ tool, input }) => ({ tool, input })), [{ tool: "lookup", input: { word: "lamp" } }]);
    assert.deepEqual(host.ran.map(({ agent, tool, input, callId }) => ({ agent, tool, input, callId })), [
      { agent: "main", tool: "lookup", input: { word: "lamp" }, callId: host.of("tool.call")[0]?.callId },
    ]);
    assert.deepEqual(host.of("tool.end").map(({ output, metadata }) => ({ output, from: metadata["from"] })), [{ output: "lamp: a bright thing", from: "host" }]);
    if (kit.hasWire) {
      assert.ok(toolsOfLastRequest(kit).includes("lookup"), "the tool is not offered to the model");
      assert.match(kit.wire.exchanges.at(-1)?.body ?? "", /lamp: a bright thing/);
    }
    await kit.completed(opened, kit.prompts.tool("lookup", { word: "nothing" }, "sorry"));
    assert.deepEqual(host.of("tool.error").map(({ kind, error }) => [kind, error]), [["failed", "there is no such word"]]);
    assert.equal(host.texts().at(-1), "sorry");
  },
};

export const steps: Cell = {
  key: "steps",
  title: "an agent's step limit ends the turn's tool calls",
  prove: async (kit, level) => {
    const agents = agentSet({ agents: [agentSpec({ steps: 2 })] });
    const opened = await kit.open({ agents });
    const commands = [1, 2, 3, 4].map((step) => `echo ${step} >> ${join(kit.folders.workspace, "steps")}`);
    const end = await kit.turn(opened, kit.prompts.shell(commands, "never"));
    const ran = (await readFile(join(kit.folders.workspace, "steps"), "utf8")).trim().split("\n");
    assert.ok(level === "exact" ? ran.length === 2 : ran.length <= 3, `with a limit of 2 steps, ${ran.length} ran`);
    if (end.outcome === "failed") assert.equal(end.error?.code, "steps");
    // The limit is one of a turn, not of the session.
    await kit.turn(opened, kit.prompts.shell([`echo again >> ${join(kit.folders.workspace, "steps")}`], "fine"));
    assert.match(await readFile(join(kit.folders.workspace, "steps"), "utf8"), /again\n$/);
  },
};

export const subagents: Cell = {
  key: "subagents",
  title: "a sub-agent's events and permission requests carry its key, and its turn ends",
  prove: async (kit, level) => {
    const script = kit.prompts.subagent ?? assert.fail("the table claims sub-agents: the prompts need `subagent`");
    const opened = await kit.open({ agents: agentSet({ agents: [agentSpec(), agentSpec({ name: "helper", mode: "subagent" })] }) });
    await kit.completed(opened, script("echo from below", "all good below"));
    const { host } = opened;
    const ofChild = host.events.filter(({ child }) => child !== undefined);
    assert.equal(new Set(ofChild.map(({ child }) => child)).size, 1, "the sub-agent's events do not carry one key");
    const types = ofChild.map(({ type }) => type);
    for (const type of ["turn.start", "message.start", "part.end", "turn.end"] as const) assert.ok(types.includes(type), `the sub-agent has no ${type}`);
    assert.ok(!host.texts().includes("all good below"), "the sub-agent's text stands in the parent");
    if (level === "exact") assert.ok(host.authorized.some(({ child }) => child === ofChild[0]?.child), "its call was authorized as the parent's");
  },
};
