import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as moment } from "node:timers/promises";
import type { Harness, HarnessEvent, HostPort, TurnEnd } from "@beeuni/harness";
import type { LogEvent } from "@beeuni/transcript";
import { conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";
import type { OpenSession } from "./session-host.ts";

const USAGE = { input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** A session on a harness that says exactly what the test says, for each prompt. */
async function saying(t: TestContext, play: (host: HostPort, prompt: number) => Promise<TurnEnd>): Promise<OpenSession & { logged: string[] }> {
  const bench = await openBench(t, { platform: { standard: "saying", experimental: "saying" } });
  const harness: Harness = {
    ...bench.harness, id: "saying",
    open: async (_spec, host) => {
      let prompts = 0;
      return { nativeId: "n", features: {}, abort: async () => {}, close: async () => {}, health: async () => ({ state: "ok", error: null, details: {} }), turn: () => play(host, ++prompts) };
    },
  };
  const session = await bench.another({ others: [harness] }).createSession({});
  return Object.assign(session, { logged: bench.logged });
}

const answer = (key: string, said: string): HarnessEvent[] => [
  { type: "message.start", key }, { type: "part.start", key: `${key}.p`, message: key, kind: "text" }, { type: "part.delta", key: `${key}.p`, delta: said },
  { type: "part.end", key: `${key}.p`, text: said }, { type: "message.end", key, usage: USAGE, finish: "stop", responseId: null },
];
const toolCall = (key: string, callId: string): HarnessEvent[] => [
  { type: "message.start", key }, { type: "tool.call", callId, message: key, tool: "bash", input: { command: "x" } },
  { type: "message.end", key, usage: USAGE, finish: "tool-calls", responseId: null }, { type: "tool.start", callId },
  { type: "tool.end", callId, output: "done", metadata: {} },
];
const done: TurnEnd = { outcome: "completed" };

test("a native event seen twice is one event: messages, parts and calls go by their keys", async (t) => {
  const session = await saying(t, async (host, prompt) => {
    const events = [...answer("m1", "one"), ...toolCall("m2", "c1")];
    for (const event of [...events, ...events]) host.emit(event);
    // A replay in a later turn, as after a reconnect.
    if (prompt === 2) for (const event of answer("m3", "two")) host.emit(event);
    return done;
  });
  await turn(session, "go");
  assert.deepEqual(conversation(session), ["user: go", "assistant: one", "bash completed: done"]);
  const before = session.log.state.seq;
  await turn(session, "again");
  assert.deepEqual(conversation(session).slice(3), ["user: again", "assistant: two"]);
  const types: string[] = [];
  for await (const event of session.log.read(before)) types.push(event.type);
  assert.deepEqual(types, ["message.created", "turn.started", "message.created", "part.updated", "part.updated", "message.updated", "turn.ended"]);
});

test("a late event changes nothing: a call that ended stays as it ended", async (t) => {
  const session = await saying(t, async (host) => {
    for (const event of toolCall("m1", "c1")) host.emit(event);
    host.emit({ type: "tool.error", callId: "c1", kind: "failed", error: "no" });
    host.emit({ type: "tool.start", callId: "c1" });
    host.emit({ type: "part.delta", key: "nothing", delta: "x" });
    return done;
  });
  await turn(session, "go");
  assert.deepEqual(conversation(session), ["user: go", "bash completed: done"]);
});

test("an event outside of every turn is left out, with a warning", async (t) => {
  let host!: HostPort;
  const session = await saying(t, async (port) => ((host = port), done));
  await turn(session, "go");
  for (const event of answer("m9", "out of turn")) host.emit(event);
  await moment();
  assert.deepEqual(conversation(session), ["user: go"]);
  assert.ok(session.logged.some((line) => line.endsWith("message.start came outside of a turn and was left out")));
});

test("what a harness leaves open at the end of its turn is ended: text stays, a call fails", async (t) => {
  const session = await saying(t, async (host) => {
    host.emit({ type: "message.start", key: "m1" });
    host.emit({ type: "part.start", key: "p1", message: "m1", kind: "text" });
    host.emit({ type: "part.delta", key: "p1", delta: "half a" });
    host.emit({ type: "tool.call", callId: "c1", message: "m1", tool: "bash", input: {} });
    return { outcome: "failed", error: { code: "upstream", message: "cut" } };
  });
  const info = await turn(session, "go");
  assert.deepEqual([info.outcome, info.error, info.usage], ["failed", { code: "upstream", message: "cut" }, null]);
  assert.deepEqual(conversation(session).slice(1), ["assistant: half a", "bash failed: The turn ended before this did."]);
});

test("a harness that breaks its contract and throws fails the turn", async (t) => {
  const session = await saying(t, async () => Promise.reject(new Error("boom")));
  const info = await turn(session, "go");
  assert.deepEqual([info.outcome, info.error], ["failed", { code: "harness", message: "boom" }]);
});

test("an event that can't be written is told in the session, and the session goes on", async (t) => {
  const session = await saying(t, async (host) => {
    for (const event of answer("m1", "fine")) host.emit(event);
    host.emit({ type: "retry", attempt: "many" as never, message: "x", nextAt: 1 });
    return done;
  });
  assert.equal((await turn(session, "go")).outcome, "completed");
  assert.deepEqual(session.state().notices.map(({ level, code }) => [level, code]), [["error", "event_lost"]]);
  assert.match(session.state().notices[0]!.message, /^a malformed turn\.retry event was not written to the log: .*attempt/s);
});

test("a turn that begins in the very moment in which the last one ends comes after it", async (t) => {
  const session = await saying(t, async (host) => {
    for (const event of answer("m1", "one")) host.emit(event);
    queueMicrotask(() => {
      host.emit({ type: "turn.start", key: "t2" });
      for (const event of answer("m2", "two")) host.emit(event);
      host.emit({ type: "turn.end", key: "t2", end: done });
    });
    return done;
  });
  await turn(session, "go");
  if (session.state().turns.at(-1)!.endedAt === undefined || session.state().turns.length < 2) await when(session, ofType("turn.ended"));
  const types: string[] = [];
  for await (const event of session.log.read(0)) if (event.type.startsWith("turn.")) types.push(`${event.type} ${(event as Extract<LogEvent, { type: "turn.ended" }>).turn}`);
  const [first, second] = session.state().turns.map(({ id }) => id);
  assert.deepEqual(types, [`turn.started ${first}`, `turn.ended ${first}`, `turn.started ${second}`, `turn.ended ${second}`]);
  assert.deepEqual(conversation(session), ["user: go", "assistant: one", "assistant: two"]);
});

test("a turn that a harness begins inside of a prompt's is logged inside of it; the session stays busy to the end", async (t) => {
  const session = await saying(t, async (host) => {
    host.emit({ type: "turn.start", key: "t2" });
    for (const event of answer("m2", "own")) host.emit(event);
    host.emit({ type: "turn.end", key: "t2", end: done });
    await when(session, (event): event is never => event.type === "turn.ended");
    await moment();
    assert.equal(session.state().status.type, "busy");
    for (const event of answer("m1", "answer")) host.emit(event);
    return done;
  });
  const { done: ended } = await session.prompt({ parts: text("go") });
  await ended;
  const [prompted, own] = session.state().turns;
  assert.deepEqual(session.state().messages.slice(1).map(({ info }) => info.turn), [own!.id, prompted!.id]);
  assert.deepEqual([session.state().turns.length, session.state().status], [2, { type: "idle" }]);
});

test("a sub-agent has a session of its own in the tree, with its turn, messages and calls", async (t) => {
  const bench = await openBench(t);
  const session = await bench.daemon.createSession({});
  const info = await turn(session, "say root\n@kid say from the child\n@kid run echo hi\n@kid done\nsay end");
  assert.deepEqual(conversation(session).slice(1), ["assistant: root", "assistant: end"]);
  const child = Object.values(session.log.state.sessions).find(({ info: { parent } }) => parent === session.id)!;
  assert.deepEqual(conversation({ state: () => child }), ["assistant: from the child", "bash completed: hi"]);
  assert.deepEqual([child.turns.map(({ origin, outcome }) => [origin, outcome]), child.status, info.outcome], [[["harness", "completed"]], { type: "idle" }, "completed"]);
  await bench.daemon.close();
  const again = await bench.another().openSession(session.id);
  assert.deepEqual(Object.keys(again.log.state.sessions).length, 2);
});
