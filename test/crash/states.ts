import type { CheckpointName } from "@beeuni/daemon";

type CallMoment = "begun" | "request-recorded" | "upstream-asked" | "answer-begun" | "chunk" | "ending" | "ended";
export type Moment = CheckpointName | `log:${"written" | "torn" | "synced"}` | `call:${CallMoment}` | `segment:${"created" | "torn" | "synced"}`;

/** A place in a session's life at which its process is killed. */
export interface KillState {
  name: string;
  on: Moment;
  /** The moment counts only when what is under way there contains this. */
  with?: string;
  /** Which of the moments; default the first. */
  nth?: number;
  /** What the person does beside answering; default nothing. */
  person?: "stops" | "queues";
  /** Another prompt than the usual one. */
  prompt?: "long-command";
  /** The state is one of a second life, which opens what a death at this state left. */
  after?: string;
  /** What is there of the prompt in the end, on the scripted harness; a pattern where two things go on at once. */
  leaves: string | RegExp;
}

/** All of the prompt's turn: it was not in the log, and ran when it was sent again; or its end was in the log. */
const WHOLE = "turn completed, bash completed, question completed, ran 1x, calls complete complete";
const ALL_BUT_ITS_END = WHOLE.replace("turn completed", "turn interrupted");
const NOT_BEGUN = "turn interrupted, ran 0x, calls none";
const IN_FIRST_CALL = "turn interrupted, ran 0x, calls cut";
/** The trace is written behind: its first frames may be on the way still. */
const EARLY = /^turn interrupted, ran 0x, calls (none|cut)$/;
const BEFORE_COMMAND = "turn interrupted, bash interrupted, ran 0x, calls complete";
const IN_COMMAND = "turn interrupted, bash interrupted, ran 1x, calls complete";

/** States of the log: what `CHECKPOINTS` names, and the moments of a write. */
const LOG_STATES: readonly KillState[] = [
  { name: "log-created", on: "log-created", leaves: WHOLE },
  { name: "harness-opening", on: "harness-opening", leaves: WHOLE },
  { name: "prompt-written", on: "log:written", with: '"role":"user"', leaves: WHOLE },
  { name: "prompt-torn", on: "log:torn", with: '"role":"user"', leaves: NOT_BEGUN },
  { name: "prompt-synced", on: "log:synced", with: '"role":"user"', leaves: NOT_BEGUN },
  { name: "prompt-accepted", on: "prompt-accepted", leaves: NOT_BEGUN },
  { name: "turn-started", on: "turn-started", leaves: NOT_BEGUN },
  { name: "message-open", on: "message-open", leaves: EARLY },
  { name: "binding-written", on: "binding-written", leaves: EARLY },
  { name: "first-delta", on: "first-delta", leaves: EARLY },
  { name: "snapshot-written", on: "snapshot-written", leaves: IN_FIRST_CALL },
  { name: "queued-second-prompt", on: "queued-second-prompt", person: "queues", leaves: IN_FIRST_CALL },
  { name: "message-ended", on: "message-ended", leaves: BEFORE_COMMAND },
  { name: "tool-called", on: "tool-called", leaves: BEFORE_COMMAND },
  { name: "permission-asked", on: "permission-asked", leaves: BEFORE_COMMAND },
  { name: "permission-answered", on: "permission-answered", leaves: BEFORE_COMMAND },
  { name: "tool-running", on: "tool-running", leaves: /^turn interrupted, bash interrupted, ran [01]x, calls complete$/ },
  { name: "command-running", on: "log:synced", with: "\\nstarted", prompt: "long-command", leaves: IN_COMMAND },
  { name: "tool-end-torn", on: "log:torn", with: '"status":"completed"', leaves: /^turn interrupted, bash (interrupted|completed), ran 1x, calls complete$/ },
  { name: "tool-ended", on: "tool-ended", leaves: /^turn interrupted, bash completed, (question interrupted, )?ran 1x, calls complete$/ },
  { name: "question-asked", on: "question-asked", leaves: "turn interrupted, bash completed, question interrupted, ran 1x, calls complete" },
  { name: "aborting", on: "aborting", person: "stops", leaves: /^turn interrupted, bash completed, question (interrupted|aborted), ran 1x, calls complete$/ },
  { name: "turn-ending", on: "turn-ending", leaves: ALL_BUT_ITS_END },
  { name: "trace-flushed", on: "log:written", with: '"type":"turn.ended"', leaves: ALL_BUT_ITS_END },
  { name: "turn-end-synced", on: "log:synced", with: '"type":"turn.ended"', leaves: WHOLE },
  { name: "turn-ended", on: "turn-ended", leaves: WHOLE },
  { name: "recovered", on: "recovered", after: "permission-asked", leaves: BEFORE_COMMAND },
];

/** States of the wire trace. */
const TRACE_STATES: readonly KillState[] = [
  { name: "trace-created", on: "segment:created", leaves: WHOLE },
  { name: "call-begun", on: "call:begun", leaves: EARLY },
  { name: "request-recorded", on: "call:request-recorded", leaves: EARLY },
  { name: "upstream-asked", on: "call:upstream-asked", leaves: EARLY },
  { name: "answer-begun", on: "call:answer-begun", leaves: EARLY },
  { name: "first-response-byte", on: "call:chunk", leaves: EARLY },
  { name: "mid-stream", on: "call:chunk", nth: 8, leaves: IN_FIRST_CALL },
  { name: "frame-torn", on: "segment:torn", with: '"content":', leaves: IN_FIRST_CALL },
  { name: "segment-full", on: "segment:synced", leaves: IN_FIRST_CALL },
  { name: "segment-rolled", on: "segment:created", nth: 2, leaves: IN_FIRST_CALL },
  // The stream's own end may be in the trace already: then the call is whole.
  { name: "call-ending", on: "call:ending", leaves: /^turn interrupted, ran 0x, calls (cut|complete)$/ },
  { name: "call-ended", on: "call:ended", leaves: "turn interrupted, ran 0x, calls complete" },
  { name: "second-call-ended", on: "call:ended", nth: 2, leaves: ALL_BUT_ITS_END },
];

export const STATES: readonly KillState[] = [...LOG_STATES, ...TRACE_STATES];

export function stateOf(name: string): KillState {
  const found = STATES.find((state) => state.name === name);
  if (found === undefined) throw new Error(`there is no state "${name}"`);
  return found;
}
