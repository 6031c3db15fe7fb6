import type { TurnInfo } from "@beeuni/protocol";
import type { SessionState } from "../state.ts";
import type { Draft } from "./draft.ts";
import { type Handlers, touch } from "./handler.ts";

export const turnEvents: Handlers<"turn.started" | "turn.retry" | "turn.aborting" | "turn.ended"> = {
  "turn.started": (session, event, draft) => {
    touch(session, event.at, draft);
    session.status = { type: "busy", turn: event.turn };
    if (findTurn(session, event.turn) !== -1) return;
    session.turns = draft.own(session.turns);
    session.turns.push(draft.own<TurnInfo>({
      id: event.turn, session: event.session, origin: event.origin, ...(event.prompt === undefined ? {} : { prompt: event.prompt }),
      agent: event.agent, model: event.model, startedAt: event.at, calls: [event.callsFrom, event.callsFrom],
    }));
  },
  "turn.retry": (session, { turn, attempt, message, nextAt }) => {
    session.status = { type: "retry", turn, attempt, message, nextAt };
  },
  "turn.aborting": () => {},
  "turn.ended": (session, event, draft) => {
    touch(session, event.at, draft);
    if (session.status.type !== "idle" && session.status.turn === event.turn) session.status = { type: "idle" };
    const turn = editTurn(session, event.turn, draft);
    if (turn === undefined) return;
    turn.endedAt = event.at;
    turn.outcome = event.outcome;
    if (event.error !== undefined) turn.error = event.error;
    turn.usage = event.usage;
    turn.calls = [turn.calls?.[0] ?? event.callsTo, event.callsTo];
  },
};

/** Anything that a waiting turn produces ends the wait. */
export function endRetryWait(session: SessionState): void {
  if (session.status.type === "retry") session.status = { type: "busy", turn: session.status.turn };
}

/** From the end: an event is nearly always about the last turn. -1 when there is none. */
export function findTurn(session: SessionState, id: string): number {
  return session.turns.findLastIndex((turn) => turn.id === id);
}

function editTurn(session: SessionState, id: string, draft: Draft): TurnInfo | undefined {
  const at = findTurn(session, id);
  if (at === -1) return undefined;
  session.turns = draft.own(session.turns);
  return (session.turns[at] = draft.own(session.turns[at]!));
}
