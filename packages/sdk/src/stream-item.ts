import { BeeuniError, ERROR_CODES, type ErrorBody, type ErrorCode, StreamHello, StreamHeartbeat, StreamResync } from "@beeuni/protocol";
import { applyDelta, type LogEvent, parseLogEvent, type PartDelta, reduceAll, type TreeState } from "@beeuni/transcript";
import type { EventSourceMessage } from "eventsource-parser";

/**
 * What an event stream brings.
 * - `hello` begins each connection; `heartbeat` says that it lives.
 * - `event` is an event of the log (or, with `seq` 0, the text so far of a part in flight); `id` is its cursor, if it has one.
 * - `delta` is more text of a part in flight.
 * - `resync` holds the whole state: it replaces whatever was known.
 */
export type StreamItem =
  | { kind: "hello"; epoch: string; head: number; session: string }
  | { kind: "heartbeat"; at: number; head: number }
  | { kind: "event"; event: LogEvent; id?: string }
  | { kind: "delta"; event: PartDelta }
  | { kind: "resync"; epoch: string; seq: number; state: TreeState; id?: string };

/** The state after an item. Pure; see `reduce`. */
export function foldItem(state: TreeState, item: StreamItem): TreeState {
  return foldItems(state, [item]);
}

/** The same for a run of items; a long run of log events costs little more than the events. */
export function foldItems(state: TreeState, items: readonly StreamItem[]): TreeState {
  let folded = state;
  let run: LogEvent[] = [];
  const endRun = (): void => {
    if (run.length > 0) folded = reduceAll(folded, run);
    run = [];
  };
  for (const item of items) {
    if (item.kind === "event") {
      run.push(item.event);
      continue;
    }
    endRun();
    if (item.kind === "delta") folded = applyDelta(folded, item.event);
    if (item.kind === "resync") folded = item.state;
  }
  endRun();
  return folded;
}

/**
 * The item of a frame; undefined for a kind of frame that this version does not know. An event of a type that it does not
 * know is handed on: a fold counts its number, and the cursor moves past it.
 * Throws the error that a `failed` frame tells (the session's log can't be written, nothing follows), and a ZodError or
 * SyntaxError for a malformed frame.
 */
export function itemOf({ event, id, data }: EventSourceMessage): StreamItem | undefined {
  const value: unknown = JSON.parse(data);
  const cursor = id === undefined ? {} : { id };
  if (event === "hello") return { kind: "hello", ...StreamHello.parse(value) };
  if (event === "heartbeat") return { kind: "heartbeat", ...StreamHeartbeat.parse(value) };
  if (event === "resync") return { kind: "resync", ...(StreamResync.parse(value) as unknown as { epoch: string; seq: number; state: TreeState }), ...cursor };
  if (event === "failed") throw failure(value as ErrorBody);
  // Many come: they are not checked field by field.
  if (event === "part.delta") return { kind: "delta", event: value as PartDelta };
  // The text so far of a part in flight has no number.
  if (id === undefined) return event === "part.snapshot" ? { kind: "event", event: value as LogEvent } : undefined;
  parseLogEvent(value);
  return { kind: "event", event: value as LogEvent, id };
}

function failure({ code, error, hint }: ErrorBody): BeeuniError {
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : "storage_failed";
  return new BeeuniError(known, error, hint === undefined ? {} : { hint });
}
