import assert from "node:assert/strict";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { agentSet, agentSpec, COMMAND_ENV, checkEvents, type Kit, type Opened, prompt } from "@beeuni/conformance";
import type { Authorization, ToolCallRef } from "@beeuni/harness";
import type { HarnessEvent } from "@beeuni/harness";
import { attribute } from "./attribution.ts";
import { openCodeKit, requests, systemOf, task, toolNames } from "./testing/opencode-kit.ts";

const LOOKUP = { name: "lookup", description: "Looks a word up.", parameters: { type: "object", properties: { word: { type: "string" }, lang: { type: "string" } }, required: ["word"], additionalProperties: false } };
const ENV = { ...COMMAND_ENV, GREETING: "it's me" };

/** One OpenCode for all of these: what a test adds to the session is no matter to the next one. */
describe("turns on OpenCode", () => {
  let kit: Kit;
  let opened: Opened;
  let decide: (call: ToolCallRef) => Authorization;
  let mark = 0;

  before(async () => {
    kit = await openCodeKit();
    await writeFile(join(kit.folders.root, "AGENTS.md"), "RULE-ABOVE\n");
    await writeFile(join(kit.folders.workspace, "AGENTS.md"), "RULE-ROOT\n");
    await mkdir(join(kit.folders.workspace, ".opencode/plugin"), { recursive: true });
    await writeFile(join(kit.folders.workspace, "opencode.jsonc"), "{ this is broken");
    await writeFile(join(kit.folders.workspace, ".opencode/plugin/evil.js"), `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(join(kit.folders.root, "evil"))}, "ran");\nthrow new Error("no");\n`);
    const agents = agentSet({
      agents: [
        agentSpec({ prompt: "You are Bee.", options: { foo: 1 } }), agentSpec({ name: "helper", mode: "subagent", description: "helps", prompt: "You are a helper." }),
        agentSpec({ name: "reader", tools: { kind: "only", names: ["read", "lookup"] } }),
      ],
      rulesFile: { source: "workspace", path: join(kit.folders.workspace, "AGENTS.md"), text: "RULE-ROOT\n", bytes: 10, sha: "0" }, hostTools: [LOOKUP],
    });
    decide = () => ({ allow: true });
    opened = await kit.open({ agents, commandEnv: ENV }, {
      authorize: (call) => decide(call), ask: () => [["yes"]],
      runTool: async ({ input }) => ({ output: JSON.stringify(input), metadata: { pid: process.pid } }),
    });
  });
  after(() => kit.dispose());

  /** Runs a prompt and answers what the host was told during it. */
  async function turn(text: string, agent = "main"): Promise<HarnessEvent[]> {
    mark = opened.host.events.length;
    await kit.completed(opened, text, { agent });
    return opened.host.events.slice(mark);
  }
  const results = (events: readonly HarnessEvent[]): string[] => events.flatMap((event) => (event.type === "tool.end" ? [event.output] : event.type === "tool.error" ? [`${event.kind}: ${event.error}`] : []));

  test("[H-002] [H-033] [H-036] the tool that the model asks for runs, its result reaches the model, and all of it is reported", async () => {
    const events = await turn("[[say: Looking. ]] [[shell: echo hi]] [[text: It said hi.]]");
    const [, second] = requests(kit);
    assert.deepEqual(second?.messages.map(({ role }) => role), ["system", "user", "assistant", "tool"]);
    assert.equal(second?.messages[3]?.content, "hi\n");
    assert.match(systemOf(second), /^You are Bee\./);
    const [call] = opened.host.of("tool.call");
    // The text before a call ends with the answer, which may be after the call has begun.
    assert.deepEqual(events.filter(({ type }) => !["part.delta", "part.end", "tool.progress"].includes(type)).map(({ type }) => type), [
      "message.start", "part.start", "tool.call", "tool.start", "tool.end", "message.end", "message.start", "part.start", "message.end",
    ]);
    assert.deepEqual(opened.host.of("tool.end"), [{ type: "tool.end", callId: call?.callId, output: "hi\n", metadata: { output: "hi\n", exit: 0, truncated: false, title: "echo hi" } }]);
    assert.deepEqual(opened.host.of("message.end").map(({ finish, usage }) => [finish, usage !== null]), [["tool-calls", true], ["stop", true]]);
  });

  test("[H-052] [H-105] [H-139] the six tools, question and todowrite are offered under these names, and each one works", async () => {
    const file = join(kit.folders.workspace, "a/b.txt");
    const calls: [string, object][] = [
      ["write", { filePath: file, content: "one\ntwo\n" }], ["read", { filePath: file }], ["edit", { filePath: file, oldString: "two", newString: "2" }],
      ["glob", { pattern: "**/*.txt" }], ["grep", { pattern: "one" }], ["bash", { command: "cat a/b.txt" }],
      ["question", { questions: [{ question: "Go on?", header: "Go", options: [{ label: "yes", description: "" }] }] }],
      ["todowrite", { todos: [{ content: "rest", status: "pending", priority: "low" }] }],
    ];
    const authorized = opened.host.authorized.length;
    const events = await turn(`${calls.map(([name, input]) => `[[tool ${name} ${JSON.stringify(input)}]]`).join(" ")} [[text: done]]`);
    assert.deepEqual(toolNames(requests(kit).at(-1)), ["bash", "edit", "glob", "grep", "lookup", "question", "read", "task", "todowrite", "webfetch", "write"]);
    const outputs = results(events);
    assert.equal(outputs.length, calls.length);
    for (const [index, wanted] of [/Wrote file/, /1: one/, /Edit applied/, /a\/b\.txt/, /Found 1 match/, /^one\n2\n$/, /yes/, /rest/].entries()) assert.match(outputs[index]!, wanted);
    assert.deepEqual(opened.host.authorized.slice(authorized).map(({ tool }) => tool), calls.map(([name]) => name));
    assert.deepEqual(await opened.session.features["session.todo"]?.(), [{ content: "rest", status: "pending", priority: "low" }]);
  });

  test("[H-079] [H-081] [H-083] [H-085] a host tool runs in this process, with its own schema and its arguments as they are", async () => {
    const events = await turn('[[tool lookup {"word": 7, "more": [1]}]] [[text: done]]');
    assert.deepEqual(results(events), ['{"word":7,"more":[1]}']);
    assert.deepEqual(events.flatMap((event) => (event.type === "tool.end" ? [event.metadata["pid"]] : [])), [process.pid]);
    assert.deepEqual(requests(kit).at(-1)?.tools?.find((tool) => tool.function.name === "lookup")?.function, { name: "lookup", description: "Looks a word up.", parameters: LOOKUP.parameters });
    const plugin = await readFile(join(kit.folders.stateDir, "config/opencode/plugin/beeuni.js"), "utf8");
    assert.match(plugin, /\/beeuni\/tools\//);
  });

  test("[H-045] options of the agent's file are in the model request", () => assert.equal(requests(kit).at(-1)?.["foo"], 1));

  test("[H-053] [H-056] the rules files of the root and of the folders above it are in the system prompt, as they are now", async () => {
    assert.match(systemOf(requests(kit).at(-1)), /RULE-ABOVE\n[^]*RULE-ROOT\n/);
    await writeFile(join(kit.folders.workspace, "AGENTS.md"), "RULE-CHANGED\n");
    await turn("[[text: ok]]");
    assert.match(systemOf(requests(kit).at(-1)), /RULE-CHANGED/);
    assert.doesNotMatch(systemOf(requests(kit).at(-1)), /RULE-ROOT/);
  });

  test("the workspace's own configuration and plugins are not read", async () => {
    await assert.rejects(access(join(kit.folders.root, "evil")));
  });

  test("a command gets the environment that the host allows, and no password of OpenCode's", async () => {
    const [output = ""] = results(await turn("[[shell: env]] [[text: ok]]"));
    const own = ["PWD", "OLDPWD", "SHLVL", "_"];
    const names = Object.fromEntries(output.trim().split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
    for (const name of own) delete names[name];
    assert.deepEqual(names, ENV);
  });

  test("[H-047] [H-048] an agent sees the tools that it may use, and no others", async () => {
    await turn("[[text: ok]]", "reader");
    assert.deepEqual(toolNames(requests(kit).at(-1)), ["lookup", "read"]);
  });

  test("a rejected call does not take the others of its message with it", async () => {
    decide = ({ input }) => (input["command"] === "touch no" ? { allow: false, kind: "rejected", message: "Rather not." } : { allow: true });
    const events = await turn('[[tools: bash {"command": "touch no"} ; bash {"command": "sleep 0.2; touch yes"}]] [[text: went on]]');
    decide = () => ({ allow: true });
    assert.deepEqual(results(events).sort(), ["(no output)", "rejected: Rather not."]);
    await access(join(kit.folders.workspace, "yes"));
    await assert.rejects(access(join(kit.folders.workspace, "no")));
    assert.equal(opened.host.texts().at(-1), "went on");
  });

  test("[H-061] a sub-agent of the project acts as itself, one of OpenCode's own with the lead's rights; both are sessions of their own", async () => {
    const from = opened.host.authorized.length;
    await turn(`${task("[[shell: echo a]] [[text: A.]]")} ${task("[[shell: echo b]] [[text: B.]]", "general")} [[text: done]]`);
    const asked = opened.host.authorized.slice(from);
    assert.deepEqual(asked.map(({ tool, agent, child }) => [tool, agent, child !== undefined]), [["task", "main", false], ["bash", "helper", true], ["task", "main", false], ["bash", "main", true]]);
    assert.notEqual(asked[1]?.child, asked[3]?.child);
    const roles = kit.wire.exchanges.slice(-7).map(({ headers }) => attribute({ method: "POST", target: "", protocol: "chat-completions", headers, body: {} })).map(({ role, agent }) => `${role} ${agent}`);
    assert.deepEqual(roles, ["main main", "sub helper", "sub helper", "main main", "sub general", "sub general", "main main"]);
  });

  test("[H-149] a shell command of a person's is a turn of its own, and nobody is asked about it", async () => {
    const [from, asked] = [opened.host.events.length, opened.host.authorized.length];
    await opened.session.features["session.shell"]?.("echo by hand");
    await opened.host.until("the turn's end", ({ events }) => events.slice(from).some(({ type }) => type === "turn.end"));
    const events = opened.host.events.slice(from);
    assert.deepEqual(events.filter(({ type }) => type !== "tool.progress").map(({ type }) => type), ["turn.start", "message.start", "tool.call", "tool.start", "tool.end", "message.end", "turn.end"]);
    assert.match(results(events)[0] ?? "", /by hand\n$/);
    assert.equal(opened.host.authorized.length, asked);
  });

  test("[H-142] what another client of this OpenCode prompts is a turn too, and its calls are asked about", async () => {
    const { command, env } = await opened.session.features["session.attach"]!();
    assert.deepEqual([command[1], command[5]], ["attach", "--session"]);
    const [from, asked] = [opened.host.events.length, opened.host.authorized.length];
    const authorization = `Basic ${Buffer.from(`opencode:${env["OPENCODE_SERVER_PASSWORD"]}`).toString("base64")}`;
    const body = JSON.stringify({ agent: "main", parts: [{ type: "text", text: "[[shell: echo theirs]] [[text: ok]]" }] });
    const answer = await fetch(`${command[2]}/session/${opened.session.nativeId}/message?directory=${encodeURIComponent(kit.folders.workspace)}`, { method: "POST", headers: { authorization, "content-type": "application/json" }, body });
    assert.equal(answer.status, 200);
    await opened.host.until("the turn's end", ({ events }) => events.slice(from).some(({ type }) => type === "turn.end"));
    assert.deepEqual(checkEvents(opened.host.events), []);
    assert.deepEqual(opened.host.authorized.slice(asked).map(({ tool, agent }) => [tool, agent]), [["bash", "main"]]);
    assert.equal(opened.host.texts().at(-1), "ok");
  });

  test("[H-133] a rewind takes the later messages away, and a restore brings them back", async () => {
    const said = prompt("[[text: to be taken back]]", { turn: "trn_rewound" });
    await kit.within("the turn ends", opened.session.turn(said));
    const rewind = opened.session.features["session.rewind"]!;
    await rewind("trn_rewound");
    await rewind(null);
    assert.match(await kit.memory(opened), /to be taken back/);
    await rewind("trn_rewound");
    assert.doesNotMatch(await kit.memory(opened), /to be taken back/);
    await assert.rejects(rewind("trn_unknown"), { code: "not_found" });
  });

  test("[H-144] the configuration document does not tell the session's token", async () => {
    const text = JSON.stringify(await opened.session.features["session.config"]!());
    assert.match(text, /"default_agent":"main"/);
    assert.ok(!text.includes(kit.endpoint.root));
  });

  test("a new configuration is read between turns, and the plugin with it", async () => {
    const agents = agentSet({ agents: [agentSpec({ prompt: "You are Wasp." })], hostTools: [{ ...LOOKUP, name: "search" }] });
    await opened.session.reload!(agents);
    const events = await turn('[[tool search {"word": "x"}]] [[text: done]]');
    assert.deepEqual(results(events), ['{"word":"x"}']);
    assert.match(systemOf(requests(kit).at(-1)), /^You are Wasp\./);
    assert.ok(!toolNames(requests(kit).at(-1)).includes("lookup"));
  });

  test("everything that OpenCode wrote lies in the session's state, and nothing in the workspace or at home", async () => {
    await access(join(kit.folders.stateDir, "data/opencode/opencode.db"));
    await assert.rejects(access(join(kit.folders.workspace, ".opencode/node_modules")));
    assert.equal(dirname(kit.folders.stateDir), kit.folders.root);
  });
});
