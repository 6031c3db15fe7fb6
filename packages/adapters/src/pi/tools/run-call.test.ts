import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { BeeuniError, type AgentSpec } from "@beeuni/protocol";
import { decidePermission, type Authorization } from "@beeuni/harness";
import { agentSpec, RecordingHost, type HostBehaviour } from "@beeuni/conformance";
import { dialect } from "../dialect.ts";
import type { NativeTool, NativeToolResult } from "../sdk.ts";
import type { ActiveTurn } from "../turn.ts";
import { nativeTools } from "./native-tools.ts";
import { CallResources } from "./call-resources.ts";

const ALLOW: Authorization = { allow: true };
const DENY: Authorization = { allow: false, kind: "denied", message: "no" };

interface Bench extends AsyncDisposable {
  root: string;
  workspace: string;
  host: RecordingHost;
  turn: ActiveTurn;
  stop: AbortController;
  updates: unknown[];
  tools: NativeTool[];
  call(tool: string, input: { [key: string]: unknown }): Promise<NativeToolResult>;
}

async function bench(behaviour: Partial<HostBehaviour> = {}, agent: Partial<AgentSpec> = {}): Promise<Bench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "beeuni-calls-")));
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  const host = new RecordingHost(behaviour);
  const turn: ActiveTurn = { id: "t", agent: agentSpec(agent), model: { provider: "p", id: "m" }, sampling: { thinking: null, temperature: null, body: {} }, stepsTaken: 0 };
  const stop = new AbortController();
  const updates: unknown[] = [];
  const services = { host, workspace: { spelling: workspace, real: workspace }, outputDir: join(root, "outputs"), commandEnv: { PATH: "/usr/bin:/bin", HOME: root }, turn: () => turn };
  const resources = new CallResources();
  const tools = nativeTools(services, [{ name: "lookup", description: "", parameters: { type: "object" } }], resources, (tool) => tool === "bash");
  return {
    root, workspace, host, turn, stop, updates, tools,
    call: (name, input) => tools.find((tool) => tool.name === name)!.execute("call_1", input, stop.signal, ({ details }) => updates.push(details)),
    [Symbol.asyncDispose]: async () => {
      await resources.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

const shown = ({ content, details, isError = false, terminate = false }: NativeToolResult) => ({ text: content.map((part) => (part.type === "text" ? part.text : part.type)).join("|"), details, isError, terminate });
const failure = (kind: string, text: string, metadata: object = {}) => ({ text, details: { beeuni: "failed", kind, metadata }, isError: true, terminate: false });

describe("a tool call", () => {
  test("is put to the host before it runs, and starts only then", async () => {
    const order: string[] = [];
    await using b = await bench({ authorize: async () => { order.push(`asked, ${b.updates.length} updates`); return ALLOW; } });
    assert.deepEqual(shown(await b.call("write", { path: "a", content: "x" })), {
      text: "Created a (1 bytes).", details: { beeuni: "done", metadata: { path: "a", bytes: 1, created: true } }, isError: false, terminate: false,
    });
    assert.deepEqual(order, ["asked, 0 updates"]);
    assert.deepEqual(b.updates, [{ beeuni: "started" }]);
    assert.deepEqual(b.host.authorized, [{ agent: "main", tool: "write", callId: "call_1", input: { path: "a", content: "x" } }]);
  });

  test("that the host denies does nothing, for every tool", async () => {
    await using b = await bench({ authorize: () => DENY, runTool: async () => assert.fail("the host tool ran"), ask: () => assert.fail("a person was asked") });
    for (const tool of b.tools) {
      const input = { command: `touch ${b.workspace}/x`, path: "x", content: "", edits: [], pattern: "*", questions: [] };
      assert.deepEqual(shown(await b.call(tool.name, input)), failure("denied", "no"), tool.name);
    }
    await assert.rejects(readFile(join(b.workspace, "x")));
    assert.deepEqual(b.host.authorized.map(({ tool }) => tool), ["bash", "read", "write", "edit", "glob", "grep", "question", "lookup"]);
    assert.deepEqual(b.updates, []);
  });

  test("control: with the host's word removed, the same call has its effect", async () => {
    await using b = await bench({ authorize: () => ALLOW });
    await b.call("bash", { command: `touch ${b.workspace}/x` });
    assert.equal(await readFile(join(b.workspace, "x"), "utf8"), "");
  });

  test("[H-047] of a tool outside the agent's access is denied even if the host allows it", async () => {
    await using b = await bench({}, { tools: { kind: "none" } });
    assert.deepEqual(shown(await b.call("bash", { command: `touch ${b.workspace}/x` })), failure("denied", "The project policy denies this bash call."));
    await assert.rejects(readFile(join(b.workspace, "x")));
  });

  test("[H-043] beyond the agent's steps is not run and ends the turn's calls", async () => {
    await using b = await bench({}, { steps: 2 });
    b.turn.stepsTaken = 2;
    assert.equal(shown(await b.call("glob", { pattern: "*" })).isError, false);
    b.turn.stepsTaken = 3;
    assert.deepEqual(shown(await b.call("glob", { pattern: "*" })), { ...failure("denied", "This agent's tool steps for the turn are used up: no tool was run. Answer in text."), terminate: true });
    assert.equal(b.host.authorized.length, 1);
  });

  test("a stop ends it while a person is asked, and while a host tool does not listen", async () => {
    await using asking = await bench({ authorize: () => new Promise(() => {}) });
    const waiting = asking.call("glob", { pattern: "*" });
    asking.stop.abort();
    assert.deepEqual(shown(await waiting), failure("aborted", "The call was stopped before it ended."));

    await using deaf = await bench({ runTool: () => new Promise(() => {}) });
    const running = deaf.call("lookup", {});
    await deaf.host.until("the tool to run", (host) => host.ran.length === 1);
    const before = performance.now();
    deaf.stop.abort();
    assert.deepEqual(shown(await running), failure("aborted", "The call was stopped before it ended."));
    assert.ok(performance.now() - before < 900);
  });

  test("[H-082] a host tool is run by the host, with its result and its failure", async () => {
    await using b = await bench({ runTool: async ({ input }) => { if (input["bad"] === true) throw new BeeuniError("not_found", "no such word"); return { output: "out", metadata: { pid: process.pid } }; } });
    assert.deepEqual(shown(await b.call("lookup", { word: 1 })), { text: "out", details: { beeuni: "done", metadata: { pid: process.pid } }, isError: false, terminate: false });
    assert.deepEqual(shown(await b.call("lookup", { bad: true })), failure("failed", "no such word"));
  });

  test("[H-052] a question's answers reach the model; a dismissed one is an error that says who dismissed it", async () => {
    const questions = [{ header: "Colour", question: "?", options: [] }, { header: "Size", question: "?", options: [] }];
    await using b = await bench({ ask: () => [["red", "blue"], []] });
    assert.deepEqual(shown(await b.call("question", { questions })), {
      text: "User answered:\nColour: red, blue\nSize: (no answer)", details: { beeuni: "done", metadata: { answers: [["red", "blue"], []] } }, isError: false, terminate: false,
    });
    await using dismissed = await bench({ ask: () => { throw new BeeuniError("denied", "The question was dismissed: nobody is there to answer it."); } });
    assert.deepEqual(shown(await dismissed.call("question", { questions })), failure("rejected", "The question was dismissed: nobody is there to answer it."));
  });

  test("hidden tools are told to Pi by the first tool; host tools show their schema and take anything", async () => {
    await using b = await bench();
    assert.deepEqual(b.tools[0]?.prepareLoadout?.({}), { hiddenDeclarations: ["bash"] });
    const { parameters } = b.tools.find(({ name }) => name === "lookup")!;
    assert.deepEqual([JSON.stringify(parameters), Object.keys(parameters)], ['{"type":"object"}', []]);
  });
});

describe("paths of a call", () => {
  /** Decides by rules, as the daemon does. */
  async function withRules(...permissions: AgentSpec["permissions"]): Promise<Bench> {
    const b: Bench = await bench({
      authorize: (call) => {
        const decision = decidePermission({ dialect, agent: b.turn.agent, workspace: b.workspace }, call);
        return decision.action === "allow" ? ALLOW : DENY;
      },
    }, { permissions });
    await mkdir(join(b.root, "outside"));
    await writeFile(join(b.root, "outside/secret"), "token");
    await mkdir(join(b.workspace, "private"));
    await writeFile(join(b.workspace, "private/key"), "k");
    await symlink("../outside", join(b.workspace, "innocent"));
    await symlink("private", join(b.workspace, "public"));
    return b;
  }
  const OUTSIDE = [
    ["read", { path: "../outside/secret" }], ["read", { path: "innocent/secret" }], ["read", { path: "~/outside/secret" }], ["write", { path: "innocent/new", content: "" }],
    ["edit", { path: "innocent/secret", edits: [{ oldText: "t", newText: "" }] }], ["grep", { pattern: "x", path: ".." }], ["grep", { pattern: "token", path: "innocent" }], ["glob", { pattern: "*", path: "~" }],
  ] as const;

  test("outside the workspace are refused by a rule for external_directory, also through links and ~", async () => {
    await using b = await withRules({ permission: "external_directory", pattern: "*", action: "deny" });
    for (const [tool, input] of OUTSIDE) assert.deepEqual(shown(await b.call(tool, input)), failure("denied", "no"), `${tool} ${JSON.stringify(input)}`);
    assert.equal(await readFile(join(b.root, "outside/secret"), "utf8"), "token");
    await assert.rejects(readFile(join(b.root, "outside/new")));
    assert.equal(shown(await b.call("read", { path: "private/key" })).text, "k");
  });

  test("control: without the rule the same calls succeed", async () => {
    await using b = await withRules();
    for (const [tool, input] of OUTSIDE) assert.equal(shown(await b.call(tool, input)).isError, false, `${tool} ${JSON.stringify(input)}`);
  });

  test("that a link leads elsewhere inside are decided by that place too", async () => {
    await using b = await withRules({ permission: "read", pattern: "private/*", action: "deny" });
    for (const path of ["private/key", "public/key", `${b.workspace}/public/../private/key`]) {
      assert.deepEqual(shown(await b.call("read", { path })), failure("denied", "no"), path);
    }
  });

  test("to whole outputs of its own commands may be read", async () => {
    await using b = await withRules();
    const result = await b.call("bash", { command: "seq 1 20000" });
    const file = (result.details as { metadata: { file: string } }).metadata.file;
    assert.match(shown(await b.call("read", { path: file, offset: 20_000 })).text, /^20000/);
  });
});
