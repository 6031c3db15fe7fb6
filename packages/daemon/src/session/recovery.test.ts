import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answered, answering, asked, created, ended, folded, MODEL, prompted, questioned, runningTool, SESSION, sessionOf, started, textPart,
} from "../testing/transcripts.ts";
import { recoveryEvents } from "./recovery.ts";

const interruptedAt = [
  created, ...prompted("trn_1", "go"), started("trn_1"), answering("trn_1", "msg_a"), textPart("prt_a", "msg_a", "so fa"),
  runningTool("prt_b", "msg_a"), asked("per_1", "trn_1"), questioned("que_1", "trn_1"), ...prompted("trn_2", "and then"),
];
const why = "The process ended before this was finished; it was not done again.";

test("what a dead process left open ends as interrupted, is told, and is not done again", () => {
  const tree = folded(interruptedAt);
  const events = recoveryEvents({ tree, tornBytes: 7, at: 5000, nextCall: 3 });
  assert.deepEqual(events, [
    { type: "permission.replied", session: SESSION, id: "per_1", reply: "reject", always: [], by: "recovery" },
    { type: "question.rejected", session: SESSION, id: "que_1", by: "recovery" },
    textPart("prt_a", "msg_a", "so fa", 5000),
    {
      type: "part.updated", session: SESSION,
      part: {
        id: "prt_b", session: SESSION, message: "msg_a", type: "tool", tool: "bash", callId: "call_prt_b",
        state: { status: "error", input: { command: "sleep 9" }, kind: "interrupted", error: why, startedAt: 1000, endedAt: 5000 },
      },
    },
    { type: "message.updated", session: SESSION, message: "msg_a", patch: { endedAt: 5000, usage: null, error: { code: "interrupted", message: why } } },
    {
      type: "turn.ended", session: SESSION, turn: "trn_1", outcome: "interrupted", usage: null, callsTo: 3,
      error: { code: "interrupted", message: "the process ended while the turn ran" },
    },
    { type: "turn.started", session: SESSION, turn: "trn_2", origin: "user", prompt: "msg_trn_2", agent: "build", model: MODEL, harness: "scripted", callsFrom: 3 },
    {
      type: "turn.ended", session: SESSION, turn: "trn_2", outcome: "interrupted", usage: null, callsTo: 3,
      error: { code: "interrupted", message: "the process ended before the turn began" },
    },
    { type: "session.recovered", session: SESSION, parts: ["prt_a", "prt_b"], permissions: ["per_1"], questions: ["que_1"], tornBytes: 7, turn: "trn_1" },
    {
      type: "session.notice", session: SESSION, level: "warning", code: "interrupted",
      message: "The session's process had ended without closing it: the running turn was interrupted; this tool call may or may not have taken effect: bash; "
        + "a queued prompt was not started; open requests were closed; 7 bytes of an unfinished line were cut off the log. Nothing was repeated.",
    },
  ]);
});

test("a recovery that broke off anywhere is finished by the next one, and a finished one has nothing left to do", () => {
  const tree = folded(interruptedAt);
  const events = recoveryEvents({ tree, tornBytes: 0, at: 5000, nextCall: 3 });
  for (let length = 0; length <= events.length; length++) {
    const half = folded(events.slice(0, length), tree);
    const state = sessionOf(folded(recoveryEvents({ tree: half, tornBytes: 0, at: 6000, nextCall: 3 }), half));
    assert.deepEqual(
      [state.status, state.turns.map(({ id, outcome }) => [id, outcome]), state.permissions, state.questions],
      [{ type: "idle" }, [["trn_1", "interrupted"], ["trn_2", "interrupted"]], [], []], `broke off after ${length} events`,
    );
  }
  assert.deepEqual(recoveryEvents({ tree: folded(events, tree), tornBytes: 0, at: 6000, nextCall: 3 }), []);
});

test("a session that was closed in order needs nothing", () => {
  const tree = folded([created, ...prompted("trn_1", "go"), started("trn_1"), answering("trn_1", "msg_a"), answered("msg_a", null), ended("trn_1")]);
  assert.deepEqual(recoveryEvents({ tree, tornBytes: 0, at: 5000, nextCall: 1 }), []);
});
