import assert from "node:assert/strict";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { AgentSet, RulesFile } from "@beeuni/protocol";
import { agentSpec, prompt } from "@beeuni/conformance";
import { agentSet, byRules, DEMO, PiKit, systemOf, textOf, toolNames } from "./testing/pi-kit.ts";

const ALL = ["bash", "read", "write", "edit", "glob", "grep", "question"];
const rules = (text: string, path = "AGENTS.md"): RulesFile => ({ source: "workspace", path, text, bytes: text.length, sha: "0" });

describe("an agent's file on Pi", () => {
  test("[H-008] [H-010] [H-036] [H-059] prompt and rules file are the system prompt, in this order, with the working directory; nothing of it in another message", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open({ agents: agentSet({ agents: [agentSpec({ prompt: "You are MARK-A." })], rulesFile: rules("Follow MARK-R.") }) });
    await pi.kit.completed(opened, "[[text: ok]]");
    const system = systemOf(pi.lastRequest);
    assert.ok(system.startsWith('You are MARK-A.\n\n<project_instructions path="AGENTS.md">\nFollow MARK-R.\n</project_instructions>\n\n'), system);
    assert.ok(system.includes(pi.workspace), "the working directory is not told");
    assert.doesNotMatch(JSON.stringify(pi.lastRequest.messages.slice(1)), /MARK-/);
  });

  test("[H-053] [H-054] [H-055] [H-058] only the file that the host hands over is read: none in the folder, beside it, below or above", async () => {
    await using pi = await PiKit.start();
    const markers: { [path: string]: string } = {
      "AGENTS.md": "MARK-1", "CLAUDE.md": "MARK-2", "sub/AGENTS.md": "MARK-3", "../AGENTS.md": "MARK-4", "../CLAUDE.md": "MARK-5", "AGENTS.override.md": "MARK-6",
      ".pi/SYSTEM.md": "MARK-7", ".pi/APPEND_SYSTEM.md": "MARK-8", ".pi/prompts/x.md": "MARK-9", ".pi/skills/s/SKILL.md": "---\nname: s\ndescription: MARK-10\n---\n",
    };
    for (const [path, text] of Object.entries(markers)) {
      await mkdir(dirname(join(pi.workspace, path)), { recursive: true });
      await writeFile(join(pi.workspace, path), text);
    }
    const opened = await pi.open({ agents: agentSet({ rulesFile: rules("Follow HANDED.", "CLAUDE.md") }) });
    await pi.kit.completed(opened, "[[shell: true]] [[text: ok]]");
    for (const request of pi.requests) {
      assert.match(systemOf(request), /Follow HANDED\./);
      assert.doesNotMatch(JSON.stringify(request), /MARK-/);
    }
    const bare = await pi.open();
    await pi.kit.completed(bare, "[[text: ok]]");
    assert.doesNotMatch(JSON.stringify(pi.lastRequest), /MARK-|project_instructions/);
  });

  test("[H-037] [H-038] each turn has its agent's prompt, tools, model and variant, in one conversation", async () => {
    await using pi = await PiKit.start();
    const endpoint = pi.endpoint(
      { ref: { provider: "up", id: "m1" }, wireId: "m1", reasoning: true, variants: { high: { reasoning_effort: "high" }, wordy: { verbosity: "high" } } },
      { ref: { provider: "up", id: "m2" }, wireId: "m2" },
    );
    const agents = agentSet({ default: "a", agents: [
      agentSpec({ name: "a", prompt: "You are A.", variant: "high" }),
      agentSpec({ name: "b", prompt: "You are B.", tools: { kind: "only", names: ["read"] } }),
    ] });
    const opened = await pi.open({ endpoint, agents });
    const turn = (agent: string, id: string, variant?: string) => pi.kit.completed(opened, `[[text: from ${id}]]`, { agent, model: { provider: "up", id, ...(variant === undefined ? {} : { variant }) } });
    await turn("a", "m1");
    await turn("b", "m2");
    await turn("a", "m1", "wordy");
    await turn("b", "m1");
    const shown = pi.requests.map((request) => ({ model: request.model, prompt: systemOf(request).split("\n")[0], tools: toolNames(request), effort: request["reasoning_effort"], verbosity: request["verbosity"] }));
    assert.deepEqual(shown, [
      { model: "m1", prompt: "You are A.", tools: ALL, effort: "high", verbosity: undefined },
      { model: "m2", prompt: "You are B.", tools: ["read"], effort: undefined, verbosity: undefined },
      { model: "m1", prompt: "You are A.", tools: ALL, effort: undefined, verbosity: "high" },
      { model: "m1", prompt: "You are B.", tools: ["read"], effort: undefined, verbosity: undefined },
    ]);
    assert.deepEqual(pi.lastRequest.messages.slice(1).filter(({ role }) => role === "assistant").map(textOf), ["from m1", "from m2", "from m1"]);
    assert.deepEqual(opened.host.of("message.start").map(({ model }) => model?.id), ["m1", "m2", "m1", "m1"]);
  });

  test("a variant that the model does not have is told and left out", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    await pi.kit.completed(opened, "[[text: ok]]", { model: { ...DEMO, variant: "huge" } });
    assert.deepEqual(opened.host.of("notice").map(({ code, message }) => [code, message]), [["variant_unknown", 'The model faux/demo has no variant "huge"; the turn runs without.']]);
  });

  test("[H-041] [H-042] [H-044] temperature and top_p are in the request, options are not", async () => {
    await using pi = await PiKit.start();
    const agents = agentSet({ agents: [agentSpec({ temperature: 0, topP: 0.5, options: { foo: 1 } }), agentSpec({ name: "plain" })] });
    const opened = await pi.open({ agents });
    await pi.kit.completed(opened, "[[text: ok]]");
    const { temperature, top_p, foo } = pi.lastRequest;
    assert.deepEqual([temperature, top_p, foo], [0, 0.5, undefined]);
    await pi.kit.completed(opened, "[[text: ok]]", { agent: "plain" });
    assert.deepEqual(["temperature" in pi.lastRequest, "top_p" in pi.lastRequest], [false, false]);
  });

  test("[H-043] after its steps the agent's model is told, sees no tools and answers in text; a call all the same is not run", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open({ agents: agentSet({ agents: [agentSpec({ steps: 2 })] }) });
    await pi.kit.completed(opened, "[[shell: echo 1]] [[shell: echo 2]] [[shell: echo 3]]");
    assert.deepEqual(pi.requests.map(toolNames).map((names) => names.length), [7, 7, 0]);
    assert.match(textOf(pi.lastRequest.messages.at(-1)!), /You have taken the 2 tool steps/);
    assert.deepEqual(opened.host.results(), ["1\n", "2\n"]);
    assert.match(opened.host.texts().at(-1) ?? "", /^Done\./);

    const stubborn = await pi.open({ agents: agentSet({ agents: [agentSpec({ steps: 1 })] }) });
    const end = await pi.kit.turn(stubborn, `[[shell: echo 1]] [[shell! touch ${pi.workspace}/ran]] [[shell! touch ${pi.workspace}/ran]]`);
    assert.deepEqual(end.error?.code, "steps");
    await assert.rejects(access(join(pi.workspace, "ran")));
    // The word about the steps is of one turn: it is in no later request.
    await pi.kit.completed(stubborn, "[[text: fine]]");
    assert.doesNotMatch(JSON.stringify(pi.lastRequest.messages), /tool steps? that this agent has/);
    assert.equal(toolNames(pi.lastRequest).length, 7);
  });

  test("[H-046] [H-047] [H-048] [H-049] tool access: what is outside is hidden from the model, and denied when called", async () => {
    await using pi = await PiKit.start();
    const hostTools = [{ name: "lookup", description: "", parameters: { type: "object" } }, { name: "other", description: "", parameters: { type: "object" } }];
    const agents = agentSet({ hostTools, default: "all", agents: [
      agentSpec({ name: "all" }), agentSpec({ name: "none", tools: { kind: "none" } }),
      agentSpec({ name: "some", tools: { kind: "only", names: ["read", "lookup"] } }), agentSpec({ name: "but", tools: { kind: "exclude", names: ["bash", "other"] } }),
    ] });
    // The control of the deny: this host allows everything, so what is refused is refused by the adapter.
    const opened = await pi.open({ agents });
    const seen: { [agent: string]: string[] } = {};
    for (const agent of ["all", "none", "some", "but"]) {
      await pi.kit.completed(opened, `[[tool! bash {"command": "touch ${pi.workspace}/${agent}"}]] [[text: ok]]`, { agent });
      seen[agent] = toolNames(pi.lastRequest);
    }
    assert.deepEqual(seen, { all: [...ALL, "lookup", "other"], none: [], some: ["read", "lookup"], but: ["read", "write", "edit", "glob", "grep", "question", "lookup"] });
    const denied = "denied: The project policy denies this bash call.";
    assert.deepEqual(opened.host.results(), ["(no output)", denied, denied, denied]);
    await access(join(pi.workspace, "all"));
    for (const agent of ["none", "some", "but"]) await assert.rejects(access(join(pi.workspace, agent)));
    assert.ok(!("tools" in pi.requests.find((request) => systemOf(request).includes("Registered tools: none"))!));
  });

  test("[H-040] [H-050] [H-051] rules hold per agent, ask waits for a person, and the model reads why", async () => {
    await using pi = await PiKit.start();
    const rule = (action: "allow" | "ask" | "deny", pattern = "*") => ({ permission: "bash", pattern, action });
    const agents: AgentSet = agentSet({ default: "a", agents: [
      agentSpec({ name: "a", permissions: [rule("deny")] }), agentSpec({ name: "b", permissions: [rule("allow")] }),
      agentSpec({ name: "c", permissions: [rule("ask"), rule("deny", "rm *")] }),
    ] });
    const asked: string[] = [];
    const authorize = byRules({ agents, workspace: pi.workspace }, ({ input }) => {
      asked.push(String(input["command"]));
      return asked.length === 1 ? { allow: true } : { allow: false, kind: "rejected", message: "The user rejected this tool call." };
    });
    const opened = await pi.open({ agents }, { authorize });
    const turn = (agent: string, command: string) => pi.kit.completed(opened, `[[shell: ${command}]] [[text: ok]]`, { agent });
    await turn("a", "echo a");
    await turn("b", "echo b");
    await turn("c", "echo c");
    await turn("c", "echo d");
    await turn("c", "rm -rf x");
    assert.deepEqual(asked, ["echo c", "echo d"]);
    const denied = "The project policy denies this bash call.";
    assert.deepEqual(opened.host.results(), [`denied: ${denied}`, "b\n", "c\n", "rejected: The user rejected this tool call.", `denied: ${denied}`]);
    assert.deepEqual(pi.lastRequest.messages.filter(({ role }) => role === "tool").map(textOf), [denied, "b\n", "c\n", "The user rejected this tool call.", denied]);
  });

  test("a new configuration holds from the next turn on: prompt, rules file and tools", async () => {
    await using pi = await PiKit.start();
    const { session, host } = await pi.open({ agents: agentSet({ agents: [agentSpec({ prompt: "Old." })] }) });
    const tool = { name: "fresh", description: "", parameters: { type: "object" } };
    const running = session.turn(prompt("[[shell: sleep 0.1]] [[text: one]]"));
    await host.until("the command to run", (seen) => seen.of("tool.start").length === 1);
    await session.reload?.(agentSet({ agents: [agentSpec({ prompt: "New." })], rulesFile: rules("Fresh rules."), hostTools: [tool] }));
    assert.deepEqual(await running, { outcome: "completed" });
    assert.match(systemOf(pi.lastRequest), /^Old\./);
    assert.deepEqual(await session.turn(prompt("[[text: two]]")), { outcome: "completed" });
    assert.match(systemOf(pi.lastRequest), /^New\.\n\n<project_instructions path="AGENTS.md">\nFresh rules\./);
    assert.deepEqual(toolNames(pi.lastRequest), [...ALL, "fresh"]);
    assert.deepEqual(pi.lastRequest.messages.filter(({ role }) => role === "assistant").map(textOf), ["", "one"]);
    assert.deepEqual((await session.health()).details["agentsMd"], { source: "workspace", path: "AGENTS.md", bytes: 12, sha: "0" });
  });
});
