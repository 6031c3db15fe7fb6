import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Authorization, ToolCallRef } from "@beeuni/harness";
import type { Kit } from "../kit.ts";
import { agentSet, agentSpec, prompt } from "../specs.ts";
import type { Cell } from "./cell.ts";

async function exists(kit: Kit, name: string): Promise<boolean> {
  return await access(join(kit.folders.workspace, name)).then(() => true, () => false);
}

export const ask: Cell = {
  key: "ask",
  title: "a tool call waits until it is decided; a person's no reaches the model",
  prove: async (kit, level) => {
    const decisions: ((decision: Authorization) => void)[] = [];
    const opened = await kit.open({}, { authorize: () => new Promise((resolve) => decisions.push(resolve)) });
    const { host, session } = opened;
    const turn = session.turn(prompt(kit.prompts.shell(["touch first", "touch second"], "both tried")));

    await host.until("the first permission request", () => decisions.length === 1, kit.patience);
    const [call] = host.authorized;
    assert.deepEqual({ agent: call?.agent, tool: call?.tool }, { agent: "main", tool: "bash" });
    assert.equal(call?.input["command"], "touch first");
    // Time for a harness that does not wait to be caught at it.
    await wait(50);
    assert.deepEqual(host.of("tool.start"), [], "the call began before it was allowed");
    assert.equal(await exists(kit, "first"), false, "the command ran before it was allowed");
    decisions[0]?.({ allow: true });

    await host.until("the second permission request", () => decisions.length === 2, kit.patience);
    assert.equal(await exists(kit, "first"), true, "the allowed command did not run");
    decisions[1]?.({ allow: false, kind: "rejected", message: "the person said: rather not" });
    assert.deepEqual(await kit.within("the turn ends", turn), { outcome: "completed" });
    assert.equal(await exists(kit, "second"), false, "the rejected command ran");
    assert.deepEqual(host.of("tool.error").map(({ kind }) => kind), ["rejected"]);
    assert.equal(host.texts().at(-1), "both tried");
    if (kit.hasWire) assert.match(kit.wire.exchanges.at(-1)?.body ?? "", /rather not/);
    if (level === "exact" && kit.harness.builtinTools.includes("question")) await askPerson(kit);
  },
};

async function askPerson(kit: Kit): Promise<void> {
  const { host, session } = await kit.open({}, { ask: async () => [["red", "blue"]] });
  const questions = [{ header: "Colour", question: "Which one?", options: [{ label: "red", description: "warm" }, { label: "blue", description: "cold" }], multiple: true }];
  assert.deepEqual(await kit.within("the turn ends", session.turn(prompt(kit.prompts.ask(questions, "thanks")))), { outcome: "completed" });
  assert.deepEqual(host.asked.map((asked) => asked.questions), [questions]);
  // How it is worded for the model is the harness's own.
  assert.match(host.results().join("\n"), /red, blue/);
}

export const deny: Cell = {
  key: "deny",
  title: "a denied call has no effect, for the agent that it is denied to; the turn goes on",
  prove: async (kit, level) => {
    const authorize = (call: ToolCallRef): Authorization =>
      call.agent === "careful" ? { allow: false, kind: "denied", message: "bash is denied here" } : { allow: true };
    const hidden = agentSpec({ name: "toolless", tools: { kind: "none" } });
    const agents = agentSet({ agents: [agentSpec(), agentSpec({ name: "careful" }), hidden] });
    const opened = await kit.open({ agents }, { authorize });
    const { host } = opened;

    await kit.completed(opened, kit.prompts.shell(["touch careful"], "on we go"), { agent: "careful" });
    assert.equal(await exists(kit, "careful"), false, "the denied command ran");
    assert.deepEqual(host.of("tool.error").map(({ kind }) => kind), ["denied"]);
    assert.match(host.results()[0] ?? "", /bash is denied here/);
    assert.equal(host.texts().at(-1), "on we go");

    await kit.completed(opened, kit.prompts.shell(["touch main"], "done"), { agent: "main" });
    assert.equal(await exists(kit, "main"), true, "the other agent's command did not run");
    if (level !== "exact" || !kit.hasWire) return;
    await kit.completed(opened, kit.prompts.say("no tools"), { agent: "toolless" });
    assert.deepEqual(toolsOfLastRequest(kit), [], "an agent without tools is shown some");
  },
};

/** Names of the tools that the last model request offered. */
export function toolsOfLastRequest(kit: Kit): string[] {
  const body = JSON.parse(kit.wire.exchanges.at(-1)?.body ?? "{}") as { tools?: { name?: string; function?: { name?: string } }[] };
  return (body.tools ?? []).map((tool) => tool.function?.name ?? tool.name ?? "");
}
