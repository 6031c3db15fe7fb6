import { EMPTY_TREE, applyDelta, deltaFit, type LogEvent, type NewEvent, type PartDelta, reduce, reduceAll, type TreeState } from "@beeuni/transcript";
import { eventsOf, legalSession, logEvents, sampleInfo, type Step } from "@beeuni/transcript/testing";
import fc from "fast-check";
import assert from "node:assert/strict";
import { test } from "node:test";

const choices = fc.array(fc.nat(50_000), { maxLength: 120, size: "max" });
const sessions = choices.map(legalSession);
const logs = sessions.map((steps) => logEvents(eventsOf(steps)));
const copy = <T>(value: T): T => structuredClone(value);

/** Steps with numbers and times on their events. */
function numbered(steps: readonly Step[]): (LogEvent | PartDelta)[] {
  const events = logEvents(eventsOf(steps)).values();
  return steps.map((step) => ("delta" in step ? step.delta : events.next().value!));
}

function foldSteps(state: TreeState, steps: readonly (LogEvent | PartDelta)[]): TreeState {
  return steps.reduce((folded, step) => (step.type === "part.delta" ? applyDelta(folded, step) : reduce(folded, step)), state);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

test("[H-003] a turn with a tool call folds to its messages, parts, status and turn", () => {
  const model = { provider: "faux", id: "demo" };
  const assistant = { session: "ses_root", role: "assistant" as const, turn: "trn_1", at: 5, agent: "build", model, parent: "msg_1" };
  const tool = { id: "prt_2", session: "ses_root", message: "msg_2", type: "tool" as const, tool: "bash", callId: "c1" };
  const events: NewEvent[] = [
    { type: "session.created", session: "ses_root", format: "beeuni.transcript.v1", info: sampleInfo() },
    { type: "message.created", session: "ses_root", message: { id: "msg_1", session: "ses_root", role: "user", turn: "trn_1", at: 4, agent: "build", model } },
    { type: "part.updated", session: "ses_root", part: { id: "prt_1", session: "ses_root", message: "msg_1", type: "text", text: "say hi", startedAt: 4, endedAt: 4 } },
    { type: "turn.started", session: "ses_root", turn: "trn_1", origin: "user", prompt: "msg_1", agent: "build", model, harness: "scripted", callsFrom: 7 },
    { type: "turn.retry", session: "ses_root", turn: "trn_1", attempt: 1, message: "429", nextAt: 9 },
    { type: "message.created", session: "ses_root", message: { ...assistant, id: "msg_2" } },
    { type: "part.updated", session: "ses_root", part: { ...tool, state: { status: "running", input: { command: "echo hi" }, startedAt: 6 } } },
    { type: "permission.asked", session: "ses_root", request: { id: "per_1", session: "ses_root", turn: "trn_1", agent: "build", permission: "bash", tool: "bash", patterns: ["echo hi"], always: ["echo *"], metadata: {} } },
    { type: "permission.replied", session: "ses_root", id: "per_1", reply: "always", always: ["echo *"], by: "client" },
    { type: "part.updated", session: "ses_root", part: { ...tool, state: { status: "completed", input: { command: "echo hi" }, output: "hi\n", metadata: {}, startedAt: 6, endedAt: 8 } } },
    { type: "message.updated", session: "ses_root", message: "msg_2", patch: { endedAt: 8, usage: null, finish: "tool_calls" } },
    { type: "turn.ended", session: "ses_root", turn: "trn_1", outcome: "completed", usage: null, callsTo: 9 },
  ];
  const busy = reduceAll(EMPTY_TREE, logEvents(events.slice(0, 5))).sessions["ses_root"]!;
  assert.deepEqual(busy.status, { type: "retry", turn: "trn_1", attempt: 1, message: "429", nextAt: 9 });
  const working = reduceAll(EMPTY_TREE, logEvents(events.slice(0, 6))).sessions["ses_root"]!;
  assert.deepEqual(working.status, { type: "busy", turn: "trn_1" });

  assert.deepEqual(reduceAll(EMPTY_TREE, logEvents(events)), {
    seq: 12, at: 1012, root: "ses_root",
    sessions: {
      ses_root: {
        info: { ...sampleInfo(), updatedAt: 1012 },
        deleted: false, status: { type: "idle" },
        turns: [{
          id: "trn_1", session: "ses_root", origin: "user", prompt: "msg_1", agent: "build", model, startedAt: 1004, endedAt: 1012,
          outcome: "completed", usage: null, calls: [7, 9],
        }],
        messages: [
          {
            info: { id: "msg_1", session: "ses_root", role: "user", turn: "trn_1", at: 4, agent: "build", model },
            parts: [{ id: "prt_1", session: "ses_root", message: "msg_1", type: "text", text: "say hi", startedAt: 4, endedAt: 4 }],
          },
          {
            info: { ...assistant, id: "msg_2", endedAt: 8, usage: null, finish: "tool_calls" },
            parts: [{ ...tool, state: { status: "completed", input: { command: "echo hi" }, output: "hi\n", metadata: {}, startedAt: 6, endedAt: 8 } }],
          },
        ],
        permissions: [], questions: [], grants: [{ permission: "bash", pattern: "echo *", agent: "build" }], notices: [], opened: null,
      },
    },
  });
});

test("any prefix of a log, kept as JSON, plus the rest equals the whole", () => {
  fc.assert(fc.property(logs, fc.nat(), (log, cut) => {
    const at = cut % (log.length + 1);
    const prefix = JSON.parse(JSON.stringify(reduceAll(EMPTY_TREE, log.slice(0, at)))) as TreeState;
    const whole = reduceAll(EMPTY_TREE, log);
    assert.deepEqual(reduceAll(prefix, log.slice(at)), whole);
    assert.deepEqual(log.slice(at).reduce(reduce, prefix), whole);
  }), { numRuns: 150 });
});

test("reducing is pure: no earlier state changes, and an earlier state can be taken up again", () => {
  fc.assert(fc.property(sessions, (session) => {
    const steps = numbered(session);
    const states = [deepFreeze(copy(EMPTY_TREE))];
    for (const step of steps) states.push(deepFreeze(foldSteps(states.at(-1)!, [step])));
    const middle = Math.floor(steps.length / 2);
    assert.deepEqual(foldSteps(states[middle]!, steps.slice(middle)), states.at(-1));
  }), { numRuns: 60 });
});

test("what an event does not touch is shared with the state before", () => {
  const log = logEvents(eventsOf(legalSession([0, 0, 4, 4, 8])));
  const before = reduceAll(EMPTY_TREE, log);
  const after = reduce(before, logEvents([{ type: "session.notice", session: "ses_root", level: "info", code: "x", message: "y" }], before.seq + 1)[0]!);
  assert.notEqual(after, before);
  assert.equal(after.sessions["ses_root"]!.messages, before.sessions["ses_root"]!.messages);
});

test("every event and every delta twice is the same as once", () => {
  const check = (fold: typeof applyDelta) => fc.property(sessions, (session) => {
    let [once, twice] = [EMPTY_TREE, EMPTY_TREE];
    for (const step of numbered(session)) {
      if (step.type === "part.delta") [once, twice] = [applyDelta(once, step), fold(fold(twice, step), step)];
      else [once, twice] = [reduce(once, step), reduce(reduce(twice, step), step)];
      if (step.type === "part.delta") assert.deepEqual(twice, once);
    }
    assert.deepEqual(twice, once);
  });
  fc.assert(check(applyDelta), { numRuns: 100 });
  // The control: with offsets ignored the same property fails.
  assert.equal(fc.check(check(addBlindly), { numRuns: 200 }).failed, true);
});

/** Adds a delta's text whatever its offset says. */
function addBlindly(state: TreeState, delta: PartDelta): TreeState {
  const part = state.sessions[delta.session]?.messages.flatMap(({ parts }) => parts).find(({ id }) => id === delta.part);
  return applyDelta(state, { ...delta, offset: part?.type === "text" || part?.type === "reasoning" ? part.text.length : 0 });
}

test("deltas show text earlier and change nothing in the end", () => {
  fc.assert(fc.property(choices, (numbers) => {
    const steps = numbered(legalSession(numbers));
    const shown = foldSteps(EMPTY_TREE, steps);
    const logged = reduceAll(EMPTY_TREE, steps.filter((step) => step.type !== "part.delta"));
    const finished = (tree: TreeState) => Object.values(tree.sessions).flatMap((session) => session.messages.flatMap(({ parts }) => parts.filter((part) => !("text" in part) || part.endedAt !== undefined)));
    assert.deepEqual(finished(shown), finished(logged));
  }), { numRuns: 100 });
});

const TEXT: LogEvent[] = logEvents([
  { type: "session.created", session: "ses_root", format: "beeuni.transcript.v1", info: sampleInfo() },
  { type: "message.created", session: "ses_root", message: { id: "msg_1", session: "ses_root", role: "assistant", turn: "trn_1", at: 1, agent: "a", model: { provider: "faux", id: "demo" } } },
  { type: "part.updated", session: "ses_root", part: { id: "prt_1", session: "ses_root", message: "msg_1", type: "text", text: "", startedAt: 1 } },
]);
const delta = (offset: number, text: string, part = "prt_1"): PartDelta => ({ type: "part.delta", session: "ses_root", part, offset, delta: text });
const textOf = (state: TreeState): unknown => (state.sessions["ses_root"]!.messages[0]!.parts[0] as { text: string }).text;

test("[H-034] a delta goes where its offset says, or nowhere", () => {
  const start = applyDelta(reduceAll(EMPTY_TREE, TEXT), delta(0, "Hello"));
  const cases: [PartDelta, string, string][] = [
    [delta(5, " you"), "next", "Hello you"],
    [delta(3, "lo you"), "next", "Hello you"],
    [delta(0, "Hello"), "known", "Hello"],
    [delta(2, "l"), "known", "Hello"],
    [delta(6, "you"), "gap", "Hello"],
    [delta(0, "x", "prt_unknown"), "gap", "Hello"],
    [{ ...delta(5, " you"), session: "ses_unknown" }, "gap", "Hello"],
  ];
  for (const [step, fit, text] of cases) assert.deepEqual([deltaFit(start, step), textOf(applyDelta(start, step))], [fit, text], JSON.stringify(step));
});

test("an older snapshot takes no text back; a differing one replaces it; after the end nothing is added", () => {
  const shown = applyDelta(reduceAll(EMPTY_TREE, TEXT), delta(0, "Hello you"));
  const snapshot = (seq: number, text: string): LogEvent => ({ seq, at: 2000, type: "part.snapshot", session: "ses_root", part: "prt_1", text });
  assert.equal(textOf(reduce(shown, snapshot(4, "Hello"))), "Hello you");
  assert.equal(textOf(reduce(shown, snapshot(4, "Hello you all"))), "Hello you all");
  assert.equal(textOf(reduce(shown, snapshot(4, "Bye"))), "Bye");
  const resent = reduce(shown, snapshot(0, "Hello you there"));
  assert.deepEqual([textOf(resent), resent.seq, resent.at], ["Hello you there", 3, 1003]);
  const ended = reduce(shown, { seq: 4, at: 2000, type: "part.updated", session: "ses_root", part: { id: "prt_1", session: "ses_root", message: "msg_1", type: "text", text: "Hello", startedAt: 1, endedAt: 2 } });
  assert.equal(textOf(reduce(applyDelta(ended, delta(5, " late")), snapshot(5, "Hello late"))), "Hello");
});

test("events of later versions and events about unknown things are skipped, their numbers count", () => {
  const state = reduceAll(EMPTY_TREE, TEXT);
  const later = { seq: 4, at: 3000, type: "part.painted", session: "ses_root", colour: "red" } as unknown as LogEvent;
  const stray: LogEvent = { seq: 5, at: 2000, type: "part.snapshot", session: "ses_root", part: "prt_none", text: "x" };
  const odd = { seq: 6, at: 3000, type: "constructor", session: "__proto__" } as unknown as LogEvent;
  assert.deepEqual(reduceAll(state, [later, stray, odd]), { ...state, seq: 6, at: 3000 });
  const old: LogEvent = { seq: 2, at: 9000, type: "session.notice", session: "ses_root", level: "info", code: "old", message: "old" };
  assert.equal(reduce(state, old), state);
});

test("a removed message takes its parts along and later events find the right ones", () => {
  const more = logEvents([
    { type: "message.created", session: "ses_root", message: { id: "msg_2", session: "ses_root", role: "user", turn: "trn_2", at: 1, agent: "a", model: { provider: "faux", id: "demo" } } },
    { type: "message.removed", session: "ses_root", message: "msg_1" },
    { type: "part.updated", session: "ses_root", part: { id: "prt_1", session: "ses_root", message: "msg_1", type: "text", text: "gone", startedAt: 1 } },
    { type: "part.updated", session: "ses_root", part: { id: "prt_2", session: "ses_root", message: "msg_2", type: "text", text: "here", startedAt: 1, endedAt: 1 } },
  ], 4);
  const { messages } = [...TEXT, ...more].reduce(reduce, EMPTY_TREE).sessions["ses_root"]!;
  assert.deepEqual(messages.map(({ info, parts }) => [info.id, parts.map(({ id }) => id)]), [["msg_2", ["prt_2"]]]);
});
