import { toBeeuniError } from "@beeuni/protocol";
import type { TurnEnd } from "@beeuni/harness";
import type { TraceWriter } from "@beeuni/trace";
import type { ActiveTurn } from "./active-turn.ts";
import type { Journal } from "./journal.ts";
import type { Translator } from "./translate-events.ts";
import { turnUsage } from "./turn-usage.ts";

export interface EndPorts {
  journal: Journal;
  translator: Translator;
  trace: TraceWriter;
  /** Closes the permission requests and questions of a turn (of all turns when left out). */
  closeRequests: (turn?: string) => void;
  /** Puts on the disk what a turn's end relies on, besides log and trace. */
  beforeEnd: () => Promise<void>;
}

/**
 * Ends what the turn left open, then the turn. Its model calls are on the disk before its end is in the log, so that
 * a turn that is seen as ended can be followed to its bytes. Resolves when the end is durable; rejects with `storage_failed`.
 */
export async function endTurn(ports: EndPorts, turn: ActiveTurn, end: TurnEnd): Promise<void> {
  const { journal, translator, trace, closeRequests, beforeEnd } = ports;
  closeRequests(turn.id);
  const isStopped = end.outcome === "aborted" || turn.stop.signal.aborted;
  translator.closeTurn({
    turn: turn.id, at: journal.now(), failure: isStopped ? "aborted" : "failed",
    message: isStopped ? "It was stopped." : "The turn ended before this did.",
  });
  await beforeEnd();
  const { outcome, error } = await withTrace(trace, outcomeOf(turn, end));
  const state = journal.log.state.sessions[turn.session]!;
  journal.append({
    type: "turn.ended", session: turn.session, turn: turn.id, outcome, usage: turnUsage(state, turn.id), callsTo: trace.nextNumber,
    ...(error === undefined ? {} : { error }),
  });
  await journal.flushed();
}

/** What a harness reports about a call that broke off because it was told to stop is no failure. */
function outcomeOf(turn: ActiveTurn, end: TurnEnd): TurnEnd {
  return turn.stop.signal.aborted && end.outcome === "failed" ? { outcome: "aborted" } : end;
}

/** A turn whose calls could not be recorded has failed, whatever the model said. */
async function withTrace(trace: TraceWriter, end: TurnEnd): Promise<TurnEnd> {
  try {
    await trace.flush();
    return end;
  } catch (thrown) {
    return { outcome: "failed", error: { code: "storage_failed", message: `the wire trace could not be written: ${toBeeuniError(thrown).message}` } };
  }
}
