import type { SessionState } from "../state.ts";
import { answerlessTurn, wireMessageAt } from "./message.ts";
import type { WireMessage } from "./types.ts";

/** Every message of the session, in the log's order. */
export function wireMessages(session: SessionState): WireMessage[] {
  const turns = new Map(session.turns.map((turn) => [turn.id, turn]));
  const answered = new Set(session.messages.flatMap(({ info }) => (info.role === "assistant" ? [info.turn] : [])));
  const messages = session.messages.map((_, at) => wireMessageAt(session, at, (id) => turns.get(id)));
  for (const turn of session.turns) {
    const shown = answered.has(turn.id) ? undefined : answerlessTurn(session, turn);
    if (shown !== undefined) messages.splice(placeOf(messages, shown, turn.prompt), 0, shown);
  }
  return messages;
}

/** After its prompt; else by id. */
function placeOf(messages: readonly WireMessage[], { info: { id } }: WireMessage, prompt: string | undefined): number {
  const asked = prompt === undefined ? -1 : messages.findLastIndex(({ info }) => info.id === prompt);
  if (asked !== -1) return asked + 1;
  const next = messages.findIndex(({ info }) => info.id > id);
  return next === -1 ? messages.length : next;
}

/** The last answer of a turn, as whoever waits for the turn gets it. Undefined while there is none. */
export function wireAnswer(session: SessionState, turn: string): WireMessage | undefined {
  const at = session.messages.findLastIndex(({ info }) => info.role === "assistant" && info.turn === turn);
  if (at !== -1) return wireMessageAt(session, at);
  const info = session.turns.findLast(({ id }) => id === turn);
  return info === undefined ? undefined : answerlessTurn(session, info);
}
