import type { NewEvent, SessionState, TreeState, UserMessage } from "@beeuni/transcript";
import { closeOpenItems } from "./close-open-items.ts";
import { neverStarted } from "./never-started.ts";
import { turnUsage } from "./turn-usage.ts";

export interface RecoveryInput {
  tree: TreeState;
  tornBytes: number;
  at: number;
  /** Number that the next call of the wire trace gets: the interrupted turn's calls end before it. */
  nextCall: number;
}

/**
 * What the log needs after a process died: open parts, messages, permissions, questions and turns are ended as
 * interrupted, and one `session.recovered` with a notice tells it. A prompt that was accepted but never started is
 * closed as interrupted too: nothing runs by itself on reopening, the person asks again. Pure; an empty list when
 * nothing was open. Run again over its own result it is empty, so that a crash in the middle of it does no harm.
 */
export function recoveryEvents({ tree, tornBytes, at, nextCall }: RecoveryInput): NewEvent[] {
  const events: NewEvent[] = [];
  for (const session of Object.values(tree.sessions)) {
    if (session.deleted) continue;
    events.push(...recoverSession(session, session.info.id === tree.root ? tornBytes : 0, at, nextCall));
  }
  return events;
}

function recoverSession(state: SessionState, tornBytes: number, at: number, nextCall: number): NewEvent[] {
  const session = state.info.id;
  const closed = closeOpenItems(state, {
    at, failure: "interrupted", message: "The process ended before this was finished; it was not done again.",
  });
  const permissions = state.permissions.map(({ id }) => id);
  const questions = state.questions.map(({ id }) => id);
  const running = state.turns.filter((turn) => turn.endedAt === undefined);
  const waiting = unstartedPrompts(state);
  if (closed.events.length + permissions.length + questions.length + running.length + waiting.length + tornBytes === 0) return [];

  const open = running[0];
  return [
    ...permissions.map((id): NewEvent => ({ type: "permission.replied", session, id, reply: "reject", always: [], by: "recovery" })),
    ...questions.map((id): NewEvent => ({ type: "question.rejected", session, id, by: "recovery" })),
    ...closed.events,
    ...running.map((turn): NewEvent => ({
      type: "turn.ended", session, turn: turn.id, outcome: "interrupted", usage: turnUsage(state, turn.id), callsTo: nextCall,
      error: { code: "interrupted", message: "the process ended while the turn ran" },
    })),
    ...waiting.flatMap(({ id, turn, agent, model }) => neverStarted({ session, turn, prompt: id, agent, model, harness: state.info.harness, nextCall })),
    {
      type: "session.recovered", session, parts: closed.parts, permissions, questions, tornBytes,
      ...(open === undefined ? {} : { turn: open.id }),
    },
    { type: "session.notice", session, level: "warning", code: "interrupted", message: summary(state, running.length, waiting.length, closed.parts, tornBytes) },
  ];
}

/** User messages whose turn is in no `turn.started`: accepted, queued, never begun. */
function unstartedPrompts(state: SessionState): UserMessage[] {
  const started = new Set(state.turns.map((turn) => turn.id));
  return state.messages.map(({ info }) => info).filter((info): info is UserMessage => info.role === "user" && !started.has(info.turn));
}

function summary(state: SessionState, running: number, waiting: number, parts: readonly string[], tornBytes: number): string {
  const open = new Set(parts);
  const tools = state.messages.flatMap((message) => message.parts).flatMap((part) => (part.type === "tool" && open.has(part.id) ? [part.tool] : []));
  const facts = [
    running > 0 ? "the running turn was interrupted" : "",
    tools.length > 0 ? `${tools.length === 1 ? "this tool call" : "these tool calls"} may or may not have taken effect: ${tools.join(", ")}` : "",
    waiting > 0 ? `${waiting === 1 ? "a queued prompt was" : `${waiting} queued prompts were`} not started` : "",
    state.permissions.length + state.questions.length > 0 ? "open requests were closed" : "",
    tornBytes > 0 ? `${tornBytes} bytes of an unfinished line were cut off the log` : "",
  ].filter((fact) => fact !== "");
  return `The session's process had ended without closing it${facts.length === 0 ? "" : `: ${facts.join("; ")}`}. Nothing was repeated.`;
}
