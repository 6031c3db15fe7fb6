import assert from "node:assert/strict";
import { readFile, truncate, unlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { HarnessSession } from "@beeuni/harness";
import { RecordingHost } from "../suite/recorder.ts";
import type { HostBehaviour } from "../suite/recorder.ts";
import { agentSet, agentSpec, makeFolders, prompt, sessionSpec } from "../suite/specs.ts";
import type { Folders } from "../suite/specs.ts";
import { createScriptedHarness } from "./harness.ts";

let folders: Folders;
let open: HarnessSession[] = [];
beforeEach(async () => {
  folders = await makeFolders();
  open = [];
});
afterEach(async () => {
  for (const session of open) await session.close();
  await folders.dispose();
});

async function start(behaviour: Partial<HostBehaviour> = {}, spec: Parameters<typeof sessionSpec>[1] = {}) {
  const host = new RecordingHost(behaviour);
  const session = await createScriptedHarness().open(sessionSpec(folders, spec), host);
  open.push(session);
  return { host, session };
}

const tokens = { reasoning: 0, cacheRead: 0, cacheWrite: 0 };

describe("scripted harness", () => {
  test("streams text and ends the turn", async () => {
    const { host, session } = await start();
    assert.equal(session.nativeId, null);
    assert.deepEqual(await session.turn(prompt("usage 7 3\nsay hello big world", { turn: "t" })), { outcome: "completed" });
    assert.deepEqual(host.events, [
      { type: "session.bound", nativeId: session.nativeId },
      { type: "message.start", key: "t.m1", model: { provider: "faux", id: "demo" } },
      { type: "part.start", key: "t.m1.p1", message: "t.m1", kind: "text" },
      { type: "part.delta", key: "t.m1.p1", delta: "hello" },
      { type: "part.delta", key: "t.m1.p1", delta: " big" },
      { type: "part.delta", key: "t.m1.p1", delta: " world" },
      { type: "part.end", key: "t.m1.p1", text: "hello big world" },
      { type: "message.end", key: "t.m1", usage: { input: 7, output: 3, ...tokens }, finish: "stop", responseId: null },
    ]);
  });

  test("a tool call is authorized, runs for real, and is one model step", async () => {
    const { host, session } = await start();
    await session.turn(prompt("think hm\nrun pwd; echo made > made.txt\nsay done", { turn: "t" }));
    assert.deepEqual(host.authorized, [{ agent: "main", tool: "bash", callId: "t.c1", input: { command: "pwd; echo made > made.txt" } }]);
    assert.deepEqual(host.events.filter(({ type }) => type !== "part.delta" && type !== "tool.progress").slice(2), [
      { type: "part.start", key: "t.m1.p1", message: "t.m1", kind: "reasoning" },
      { type: "part.end", key: "t.m1.p1", text: "hm" },
      { type: "tool.call", callId: "t.c1", message: "t.m1", tool: "bash", input: { command: "pwd; echo made > made.txt" } },
      { type: "message.end", key: "t.m1", usage: { input: 10, output: 5, ...tokens }, finish: "tool-calls", responseId: null },
      { type: "tool.start", callId: "t.c1" },
      { type: "tool.end", callId: "t.c1", output: `${folders.workspace}\n`, metadata: { exitCode: 0 } },
      { type: "message.start", key: "t.m2", model: { provider: "faux", id: "demo" } },
      { type: "part.start", key: "t.m2.p1", message: "t.m2", kind: "text" },
      { type: "part.end", key: "t.m2.p1", text: "done" },
      { type: "message.end", key: "t.m2", usage: { input: 10, output: 5, ...tokens }, finish: "stop", responseId: null },
    ]);
    assert.equal(await readFile(join(folders.workspace, "made.txt"), "utf8"), "made\n");
  });

  test("a refused call has no effect; the script goes on", async () => {
    const { host, session } = await start({ authorize: () => ({ allow: false, kind: "denied", message: "not this" }) });
    assert.deepEqual(await session.turn(prompt("run touch made.txt\nsay well")), { outcome: "completed" });
    assert.deepEqual(host.results(), ["denied: not this"]);
    assert.deepEqual(host.texts(), ["well"]);
    await assert.rejects(readFile(join(folders.workspace, "made.txt")), { code: "ENOENT" });
  });

  test("results by the script, the host's tools, questions, and calls side by side", async () => {
    const spec = { agents: agentSet({ hostTools: [{ name: "lookup", description: "", parameters: { type: "object" } }] }) };
    const { host, session } = await start({
      runTool: async (call) => ({ output: `found ${String(call.input["key"])}`, metadata: { hits: 1 } }),
      ask: () => [["red", "blue"]],
    }, spec);
    const script = [
      'tool grep {"pattern":"a => b"} => 3 lines', 'tool grep {} =! no such file', 'tool lookup {"key":"k"}', 'host other {"key":"o"}',
      "ask Colour: Which one? | red | blue", 'tool nothing {}', 'tool read {"path":"../../etc/passwd"}', "run echo one", "& run echo two",
    ].join("\n");
    assert.deepEqual(await session.turn(prompt(script)), { outcome: "completed" });
    const [first, second] = host.results().slice(-2).sort();
    assert.deepEqual([...host.results().slice(0, -2), first, second], [
      "3 lines", "failed: no such file", "found k", "found o", "User answered:\nColour: red, blue",
      'failed: there is no tool "nothing"', "failed: ../../etc/passwd is outside the workspace", "one\n", "two\n",
    ]);
    assert.equal(host.of("message.end").length, 8);
    assert.deepEqual(host.asked[0]?.questions, [{
      header: "Colour", question: "Which one?", options: [{ label: "red", description: "" }, { label: "blue", description: "" }],
    }]);
  });

  test("a stop keeps the partial text and takes the command's process group along", async () => {
    const { host, session } = await start();
    const talking = session.turn(prompt("say so far\nhang"));
    await host.until("the text", () => host.of("part.delta").length === 2);
    await session.abort();
    assert.deepEqual(await talking, { outcome: "aborted" });
    assert.deepEqual(host.texts(), ["so far"]);
    assert.deepEqual(host.of("message.end").map(({ usage, finish }) => ({ usage, finish })), [{ usage: null, finish: "aborted" }]);

    const running = session.turn(prompt("run trap '' INT TERM; echo $$; sleep 60 & wait; sleep 60"));
    await host.until("the command's pid", () => host.of("tool.progress").length > 0);
    const pid = Number(host.of("tool.progress")[0]?.metadata["output"]);
    process.kill(-pid, 0);
    await session.abort();
    assert.deepEqual(await running, { outcome: "aborted" });
    assert.deepEqual(host.results(), ["aborted: the call was stopped"]);
    await assert.rejects(readFile(`/proc/${pid}/stat`), { code: "ENOENT" });
  });

  test("one prompt, two turns: the harness begins the second by itself", async () => {
    const { host, session } = await start();
    assert.deepEqual(await session.turn(prompt("say started\nself-turn\nsay finished", { turn: "t" })), { outcome: "completed" });
    assert.deepEqual(host.texts(), ["started"]);
    await host.until("the second turn's end", () => host.of("turn.end").length === 1);
    assert.deepEqual(host.texts(), ["started", "finished"]);
    assert.deepEqual(host.events.filter(({ type }) => type.startsWith("turn.") || type === "message.start"), [
      { type: "message.start", key: "t.m1", model: { provider: "faux", id: "demo" } },
      { type: "turn.start", key: "t.self" },
      { type: "message.start", key: "t.self.m1", model: { provider: "faux", id: "demo" } },
      { type: "turn.end", key: "t.self", end: { outcome: "completed" } },
    ]);
  });

  test("a stop reaches a turn that the harness began, and one that has not begun yet", async () => {
    const { host, session } = await start();
    await session.turn(prompt("say a\nself-turn\nhang", { turn: "t" }));
    await host.until("the second turn", () => host.of("turn.start").length === 1);
    await session.abort();
    assert.deepEqual(host.of("turn.end"), [{ type: "turn.end", key: "t.self", end: { outcome: "aborted" } }]);
    await session.turn(prompt("say b\nself-turn 60000\nsay never"));
    await session.abort();
    assert.deepEqual(host.texts(), ["a", "b"]);
  });

  test("failures: fail, cut, crash, and a prompt that is no script", async () => {
    const { host, session } = await start();
    assert.deepEqual(await session.turn(prompt("say a\nfail rate_limit slow down")), { outcome: "failed", error: { code: "rate_limit", message: "slow down" } });
    const cut = { code: "upstream", message: "the model's stream ended before it was finished" };
    assert.deepEqual(await session.turn(prompt("say half\ncut", { turn: "t" })), { outcome: "failed", error: cut });
    assert.deepEqual(host.events.at(-1), { type: "message.end", key: "t.m1", usage: null, finish: null, responseId: null, error: cut });
    assert.deepEqual(await session.turn(prompt("shout hi\nsay ok\n& sleep 3")), {
      outcome: "failed",
      error: {
        code: "harness",
        message: 'the prompt is not a script: line 1: "shout" is no step (say, more, think, run, tool, host, ask, recall, usage, sleep, hang, retry, notice, self-turn, fail, cut, crash); line 3: `&` goes before a tool call, not before `sleep`',
      },
    });
    const crash = { outcome: "failed", error: { code: "harness", message: "the scripted harness crashed" } };
    assert.deepEqual(await session.turn(prompt("say open\ncrash")), crash);
    assert.equal(host.events.at(-1)?.type, "part.delta");
    assert.deepEqual(await session.turn(prompt("say more")), crash);
    assert.deepEqual((await session.health()).state, "down");
  });

  test("the agent's step limit holds", async () => {
    const { host, session } = await start({}, { agents: agentSet({ agents: [agentSpec({ steps: 2 })] }) });
    const end = await session.turn(prompt("run echo 1\nrun echo 2\nrun echo 3 > three\nsay x"));
    assert.deepEqual(end, { outcome: "failed", error: { code: "steps", message: 'agent "main" may take 2 tool-calling steps in a turn' } });
    assert.deepEqual(host.results(), ["1\n", "2\n"]);
  });

  test("a sub-agent's events carry its key and its own turn", async () => {
    const { host, session } = await start();
    await session.turn(prompt("say p\n@w say c\n@w run echo in child\n@w done\nsay q", { turn: "t" }));
    assert.deepEqual(host.events.filter(({ child }) => child === "w").map(({ type }) => type), [
      "turn.start", "message.start", "part.start", "part.delta", "part.end", "tool.call", "message.end", "tool.start", "tool.progress", "tool.end", "turn.end",
    ]);
    assert.equal(host.authorized[0]?.child, "w");
    assert.deepEqual(host.texts(), ["p", "q"]);
  });
});

describe("the scripted harness's own session", () => {
  const history = [
    { role: "user" as const, text: "say told", toolCalls: [] },
    { role: "assistant" as const, text: "told", toolCalls: [] },
  ];

  async function firstSession(): Promise<string> {
    const { session } = await start();
    await session.turn(prompt("say kept"));
    await session.close();
    return session.nativeId ?? assert.fail("no native id");
  }

  test("resume reads it, and the history that is offered is not used", async () => {
    const nativeId = await firstSession();
    const { host, session } = await start({}, { resume: { nativeId }, history });
    assert.deepEqual(host.events, [{ type: "session.bound", nativeId }]);
    await session.turn(prompt("recall"));
    assert.deepEqual(host.texts(), ["user: say kept / assistant: kept / user: recall"]);
  });

  for (const [damage, harm] of [["missing", unlink], ["torn", (path: string) => truncate(path, 30)]] as const) {
    test(`when it is ${damage}, the history takes its place and a notice says so`, async () => {
      const nativeId = await firstSession();
      await harm(join(folders.stateDir, `${nativeId}.jsonl`));
      const { host, session } = await start({}, { resume: { nativeId }, history });
      assert.deepEqual(host.events, [{
        type: "notice", level: "warning", code: "native_session_lost",
        message: `its session ${nativeId} is gone or damaged; it was told the transcript (2 messages)`,
      }]);
      await session.turn(prompt("recall"));
      assert.notEqual(session.nativeId, nativeId);
      assert.deepEqual(host.texts(), ["user: say told / assistant: told / user: recall"]);
    });
  }
});
