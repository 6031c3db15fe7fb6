import { z } from "zod";

/**
 * The frames of `GET /beeuni/events?session=` that are not events of the log. Server-sent events, never compressed:
 * - `hello`, always first.
 * - log events: `event: <type>`, `id: <epoch>:<seq>`, data = the event as it stands in the log. In order, once durable.
 * - `part.delta`: no id; lost ones are never sent again. One may repeat text that is there already: its offset tells.
 * - after the replay, one `part.snapshot` without id (its `seq` and `at` are 0) for each part that is still streaming,
 *   before any delta of that part.
 * - `resync` (with id) instead of a replay when the cursor can't be replayed. Its state replaces the client's.
 * - `heartbeat` every 10 s, without id.
 * - `failed`, last: the session's log can't be written any more; data = an error body.
 */
export const STREAM_FRAMES = ["hello", "resync", "heartbeat", "failed"] as const;

/** Seconds between heartbeats. A client that saw nothing for three of them takes the connection for dead. */
export const HEARTBEAT_SECONDS = 10;

/** `event: hello`. */
export const StreamHello = z.object({
  epoch: z.string(),
  /** Number of the last durable event; 0 for an empty log. */
  head: z.number().int().nonnegative(),
  session: z.string(),
});
export type StreamHello = z.infer<typeof StreamHello>;

/** `event: heartbeat`. */
export const StreamHeartbeat = z.object({ at: z.number(), head: z.number().int().nonnegative() });
export type StreamHeartbeat = z.infer<typeof StreamHeartbeat>;

/** `event: resync`. `state` is the transcript's `TreeState`: the fold up to and with `seq`. */
export const StreamResync = z.object({ epoch: z.string(), seq: z.number().int().nonnegative(), state: z.record(z.string(), z.unknown()) });
export type StreamResync = z.infer<typeof StreamResync>;

/** A place in a session's log, as SSE ids carry it: `<epoch>:<seq>`. The epoch names the opening of the log that sent it. */
export interface StreamCursor {
  epoch: string;
  seq: number;
}

export function formatCursor(cursor: StreamCursor): string {
  return `${cursor.epoch}:${cursor.seq}`;
}

/** Undefined for anything that is not `<epoch>:<seq>`. */
export function parseCursor(text: string): StreamCursor | undefined {
  const match = /^([0-9A-Za-z_-]{1,64}):(0|[1-9][0-9]{0,14})$/.exec(text);
  return match === null ? undefined : { epoch: match[1]!, seq: Number(match[2]) };
}
