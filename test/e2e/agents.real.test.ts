import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { beeuni } from "./support/cli.ts";
import { type ModelRequest, ModelServer, systemOf, textOf, toolNames, toolResults } from "./support/model-server.ts";
import { Place } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { completed, conversation, turn } from "./support/session.ts";

const BUILT_IN = ["bash", "read", "write", "edit", "glob", "grep", "question"];
const agent = (front: string, body = ""): string => `---\n${front}\n---\n${body}`;
const TOOL = 'export default { description: "D", parameters: { type: "object" }, execute: () => "looked up" };\n';

/** One project in which every agent has one thing that its first model request must show. */
const FILES = {
  "beeuni.yaml": `beeuni_version: 2
default_agent: plain
runtime: pi
agents:
  plain: {}
  elsewhere: {file: agents/prompts/of elsewhere.md}
  whole: {tools: all}
  none: {tools: none}
  some: {tools: [read, lookup]}
  starred: {tools: [read, "*"]}
  but: {tools: {exclude: [bash]}}
  off: {enabled: false}
  model: {}
  variant: {}
  sampled: {}
  stepped: {}
  optioned: {}
  denies: {}
tools:
  lookup: tools/lookup.ts
`,
  "tools/lookup.ts": TOOL,
  "agents/plain.md": "You are MARK-PLAIN.",
  "agents/elsewhere.md": "You are MARK-WRONG.",
  "agents/prompts/of elsewhere.md": "You are MARK-ELSEWHERE.",
  "agents/off.md": "You are off.",
  "agents/undeclared.md": "You are nobody.",
  "agents/model.md": agent("model: up/m1"),
  "agents/variant.md": agent("model: up/demo\nvariant: high"),
  "agents/sampled.md": agent("temperature: 0.2\ntop_p: 0.5"),
  "agents/stepped.md": agent("steps: 2"),
  "agents/optioned.md": agent("options: {foo: 1, reasoningEffort: high}"),
  "agents/denies.md": agent("permission: {bash: deny}"),
  "AGENTS.md": "Follow MARK-RULES.",
  "CLAUDE.md": "Follow MARK-CLAUDE.",
  "sub/AGENTS.md": "Follow MARK-SUB.",
  "sub/CLAUDE.md": "Follow MARK-SUBCLAUDE.",
};

describe("a project's agents on the real harness", () => {
  let place: Place;
  let model: ModelServer;
  let server: Server;
  before(async () => {
    place = new Place(FILES);
    // Above the project: of no interest to it.
    place.write("../AGENTS.md", "Follow MARK-ABOVE.");
    model = await ModelServer.start();
    place.configure({ up: { ...model.provider, models: [...(model.provider as { models: object[] }).models, { id: "m1" }] } });
    server = await Server.start(place, ["--model", "up/demo"]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  /** Runs the script in a new session of the agent; answers the model requests of it. */
  async function requestsOf(name: string | undefined, script = "[[text: ok]]"): Promise<{ id: string; requests: ModelRequest[] }> {
    const { id } = await server.client.sessions.create(name === undefined ? {} : { agent: name });
    const before = model.requests.length;
    await completed(server.client, id, script);
    return { id, requests: model.requests.slice(before).map(({ body }) => body) };
  }
  const firstOf = async (name?: string): Promise<ModelRequest> => (await requestsOf(name)).requests[0]!;

  test("[H-007] [H-008] [H-036] [M-011] the default agent starts, with the body of agents/<name>.md as its system prompt", async () => {
    const request = await firstOf();
    assert.match(systemOf(request), /^You are MARK-PLAIN\.\n/);
    assert.doesNotMatch(JSON.stringify(request.messages.slice(1)), /MARK-/);
    assert.deepEqual(toolNames(request), [...BUILT_IN, "lookup"]);
    const agents = await server.client.agents();
    assert.deepEqual(agents.filter(({ isDefault }) => isDefault).map(({ name }) => name), ["plain"]);
    assert.deepEqual(agents.map(({ name }) => name), ["plain", "elsewhere", "whole", "none", "some", "starred", "but", "model", "variant", "sampled", "stepped", "optioned", "denies"]);
  });

  test("[M-010] `file` of the manifest names the file that the agent's prompt comes from", async () => {
    const system = systemOf(await firstOf("elsewhere"));
    assert.match(system, /^You are MARK-ELSEWHERE\.\n/);
    assert.doesNotMatch(system, /MARK-WRONG/);
  });

  test("[M-014] an agent that is not declared, or not enabled, starts no session", async () => {
    for (const [name, code, status] of [["undeclared", "agent_not_found", 404], ["off", "agent_disabled", 403]] as const) {
      const { status: got, body } = await server.fetch("/beeuni/runtime/sessions", { method: "POST", body: { agent: name } });
      assert.deepEqual([(body as { code: string }).code, got], [code, status]);
    }
    const { code, stderr } = await beeuni(place, ["run", "--model", "up/demo", "--agent", "off", "hi"]);
    assert.deepEqual([code, stderr.split("\n").slice(1)], [5, [
      'error: agent "off" is disabled (enabled: false in beeuni.yaml)',
      "hint: enable it there, or use one of: plain, elsewhere, whole, none, some, starred, but, model, variant, sampled, stepped, optioned, denies", "",
    ]]);
  });

  test("[H-010] [H-053] [H-055] [H-058] [H-059] AGENTS.md of the root is in the system prompt, no other file is", async () => {
    const { requests } = await requestsOf("plain", "[[shell: cd sub && ls]] [[tool read {\"path\": \"sub/other\"}]] [[text: ok]]");
    for (const request of requests) {
      assert.match(systemOf(request), /MARK-RULES/);
      assert.doesNotMatch(JSON.stringify(request), /MARK-(CLAUDE|SUB|ABOVE)/);
      assert.doesNotMatch(JSON.stringify(request.messages.slice(1)), /MARK-RULES/);
    }
    assert.equal(requests.length, 3);
  });

  test("[H-054] without AGENTS.md the root's CLAUDE.md is read instead", async () => {
    rmSync(join(place.project, "AGENTS.md"));
    const request = await firstOf();
    place.write("AGENTS.md", FILES["AGENTS.md"]);
    assert.match(systemOf(request), /MARK-CLAUDE/);
    assert.doesNotMatch(JSON.stringify(request), /MARK-(RULES|SUB|ABOVE)/);
  });

  test("[H-037] `model` of the agent's file is the model that is asked; an explicit choice is stronger", async () => {
    assert.equal((await firstOf("model")).model, "m1");
    const { id } = await server.client.sessions.create({ agent: "model", model: "up/demo" });
    await completed(server.client, id, "[[text: ok]]");
    assert.equal(model.last.model, "demo");
  });

  test("[H-038] `variant` puts the variant's setting into the request", async () => {
    assert.equal((await firstOf("variant"))["reasoning_effort"], "high");
    assert.equal((await firstOf("plain"))["reasoning_effort"], undefined);
  });

  test("[H-041] [H-042] [H-044] temperature and top_p are in the request; options are not, which a notice says", async () => {
    const { temperature, top_p } = await firstOf("sampled");
    assert.deepEqual([temperature, top_p], [0.2, 0.5]);
    const { id, requests: [request] } = await requestsOf("optioned");
    assert.deepEqual(["foo", "reasoningEffort", "reasoning_effort", "temperature"].filter((key) => key in request!), []);
    assert.deepEqual((await server.client.sessions.state(id)).notices.filter(({ code, message }) => code === "not_supported" && message.startsWith("agents.optioned.")).map(({ message }) => message), [
      "agents.optioned.options: not sent to the model: foo, reasoningEffort (this harness does not apply provider options)",
    ]);
  });

  test("[H-043] after `steps` tool steps the model has no tools, and a call all the same is not run", async () => {
    const { requests } = await requestsOf("stepped", "[[shell: echo 1]] [[shell: echo 2]] [[shell: touch third]]");
    assert.deepEqual(requests.map((request) => toolNames(request).length > 0), [true, true, false]);
    const { id } = await server.client.sessions.create({ agent: "stepped" });
    const end = await turn(server.client, id, "[[shell: echo 1]] [[shell: echo 2]] [[shell! touch third]]");
    assert.deepEqual([end.outcome, end.error?.code, existsSync(join(place.project, "third"))], ["failed", "steps", false]);
  });

  test("[H-046] [H-047] [H-048] [H-049] [M-088] `tools` of an agent: what is outside is hidden from the model, and denied when it is called", async () => {
    const all = [...BUILT_IN, "lookup"];
    const wanted: { [name: string]: string[] } = { plain: all, whole: all, starred: all, none: [], some: ["read", "lookup"], but: all.filter((name) => name !== "bash") };
    for (const [name, tools] of Object.entries(wanted)) {
      const file = join(place.project, `by-${name}`);
      const { id, requests } = await requestsOf(name, `[[tool! bash {"command": "touch by-${name}"}]] [[text: ok]]`);
      assert.deepEqual(toolNames(requests[0]!), tools, name);
      const mayRun = tools.includes("bash");
      assert.deepEqual([existsSync(file), toolResults(requests[1]!)], [mayRun, [mayRun ? "(no output)" : "The project policy denies this bash call."]], name);
      assert.match(conversation(await server.client.sessions.state(id)).join("\n"), mayRun ? /bash completed/ : /bash denied: The project policy denies this bash call\./);
    }
    assert.ok(!("tools" in (await firstOf("none"))), "an agent without tools sends no empty list");
  });

  test("[H-040] `permission` of the agent's file: a denied call is refused, and the model reads why", async () => {
    const { requests } = await requestsOf("denies", "[[shell: touch denied]] [[text: ok]]");
    assert.deepEqual([toolResults(requests[1]!), existsSync(join(place.project, "denied"))], [["The project policy denies this bash call."], false]);
    assert.deepEqual(toolNames(requests[0]!), [...BUILT_IN, "lookup"], "a rule hides nothing");
  });

  test("[M-004] [M-005] [M-006] the files of the checkout are read by the daemon and by a local run alike, and a change needs no manifest", async () => {
    const local = async (): Promise<string> => {
      const { code, stderr } = await beeuni(place, ["run", "-q", "--model", "up/demo", "[[text: ok]]"]);
      assert.equal(code, 0, stderr);
      return systemOf(model.last).split("\n")[0]!;
    };
    assert.deepEqual([systemOf(await firstOf()).split("\n")[0], await local()], ["You are MARK-PLAIN.", "You are MARK-PLAIN."]);
    place.write("agents/plain.md", agent("temperature: 0.7", "You are MARK-CHANGED."));
    const changed = await firstOf();
    assert.deepEqual([systemOf(changed).split("\n")[0], changed["temperature"], await local()], ["You are MARK-CHANGED.", 0.7, "You are MARK-CHANGED."]);
    place.write("agents/plain.md", FILES["agents/plain.md"]);
  });

  test("[H-052] a question waits for a person, and the answer is the tool's result", async () => {
    const { client } = server;
    const { id } = await client.sessions.create();
    const question = { questions: [{ question: "Which one?", header: "Which", options: [{ label: "a", description: "" }, { label: "b", description: "" }] }] };
    const { turn: started } = await client.sessions.prompt(id, `[[tool question ${JSON.stringify(question)}]] [[text: ok]]`);
    const asked = await waitForQuestion(id);
    assert.deepEqual(asked.questions, [{ ...question.questions[0]! }]);
    await client.questions.reply(asked.id, [["b"]]);
    for await (const state of client.watch(id)) if (state.turns.some((one) => one.id === started && one.endedAt !== undefined)) break;
    assert.deepEqual(toolResults(model.last), ["User answered:\nWhich: b"]);
    assert.equal(textOf(model.last.messages.at(-1)!), "User answered:\nWhich: b");
  });

  async function waitForQuestion(id: string) {
    for await (const state of server.client.watch(id)) if (state.questions[0] !== undefined) return state.questions[0];
    throw new Error("the stream ended");
  }
});
