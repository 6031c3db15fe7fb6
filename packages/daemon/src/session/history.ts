import type { HistoryMessage } from "@beeuni/harness";
import { historyOf, type SessionState } from "@beeuni/transcript";

/** The conversation of the turns that have ended, for a harness that has to be told: what runs or waits is not history yet. */
export function endedHistory(session: SessionState): HistoryMessage[] {
  const ended = new Set(session.turns.filter((turn) => turn.endedAt !== undefined).map((turn) => turn.id));
  return historyOf(session.messages.filter(({ info }) => ended.has(info.turn)));
}
