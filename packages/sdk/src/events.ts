// eventsource-parser: splits a byte stream into server-sent events as the standard says, in Node and in browsers.
import { EventSourceParserStream } from "eventsource-parser/stream";
import { BeeuniError, HEARTBEAT_SECONDS, StreamHello, StreamResync, parseCursor } from "@beeuni/protocol";
import { parseLogEvent, type LogEvent, type PartDelta, type TreeState } from "@beeuni/transcript";
import type { Transport } from "./transport.ts";

/** `id` is the cursor to go on from: give it as `lastEventId`. Deltas and repeated snapshots have none. */
export type StreamItem =
  | { kind: "hello"; epoch: string; head: number }
  | { kind: "event"; event: LogEvent; id?: string }
  | { kind: "delta"; event: PartDelta }
  /** The cursor could not be replayed: this state replaces all that came before. */
  | { kind: "resync"; state: TreeState; id: string };

export interface EventsOptions {
  session: string;
  /** Where to go on from; everything from the beginning when left out. */
  lastEventId?: string;
  signal?: AbortSignal;
  /** First pause before coming back after a lost connection, doubled up to 5 s. Milliseconds; 200. */
  backoffMs?: number;
}

/** Told to the generator by its consumer: drop this connection and come back from the last id. */
export interface EventStream extends AsyncIterable<StreamItem> {
  reconnect(): void;
}

/**
 * The session's events, for ever: a lost connection is made again from the last id, so that no durable event is missing
 * or doubled. Ends when `signal` aborts. Throws when the server refuses (unknown session, wrong token), not when it is away.
 */
export function openEvents(transport: Transport, options: EventsOptions): EventStream {
  let connection: AbortController | undefined;
  return {
    reconnect: () => connection?.abort(),
    async *[Symbol.asyncIterator]() {
      const { session, signal, backoffMs = 200 } = options;
      let lastId = options.lastEventId;
      let pause = backoffMs;
      const stopped = (): boolean => signal?.aborted === true;
      while (!stopped()) {
        connection = new AbortController();
        const stop = signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]);
        try {
          for await (const item of connect(transport, session, lastId, stop, connection)) {
            pause = backoffMs;
            if ((item.kind === "event" || item.kind === "resync") && item.id !== undefined) lastId = item.id;
            yield item;
          }
        } catch (thrown) {
          if (stopped()) return;
          if (thrown instanceof BeeuniError && thrown.code !== "provider_error" && thrown.status < 500) throw thrown;
        } finally {
          connection.abort();
        }
        await sleep(pause * (0.5 + Math.random()), signal);
        pause = Math.min(pause * 2, 5000);
      }
    },
  };
}

/** One connection. Ends when the server ends it, throws when it breaks or falls silent. */
async function* connect(transport: Transport, session: string, lastId: string | undefined, signal: AbortSignal, own: AbortController): AsyncGenerator<StreamItem> {
  let silence = setTimeout(() => own.abort(), HEARTBEAT_SECONDS * 3000);
  try {
    const response = await transport.send("/beeuni/events", {
      query: { session }, headers: { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) }, signal,
    });
    const frames = response.body!.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>).pipeThrough(new EventSourceParserStream());
    for await (const frame of frames as unknown as AsyncIterable<{ event?: string; id?: string; data: string }>) {
      clearTimeout(silence);
      silence = setTimeout(() => own.abort(), HEARTBEAT_SECONDS * 3000);
      const item = readFrame(frame);
      if (item !== undefined) yield item;
    }
  } finally {
    clearTimeout(silence);
  }
}

/** Undefined for frames that carry nothing for a consumer, and for types of a later version. */
function readFrame({ event, id, data }: { event?: string; id?: string; data: string }): StreamItem | undefined {
  const value: unknown = JSON.parse(data);
  switch (event) {
    case "hello": {
      const { epoch, head } = StreamHello.parse(value);
      return { kind: "hello", epoch, head };
    }
    case "resync":
      return { kind: "resync", state: StreamResync.parse(value).state as unknown as TreeState, id: id ?? "" };
    case "heartbeat":
      return undefined;
    case "failed": {
      const { code, error } = value as { code: string; error: string };
      throw new BeeuniError("provider_error", `the server's log of this session failed (${code}): ${error}`);
    }
    case "part.delta":
      return { kind: "delta", event: value as PartDelta };
    default: {
      const numbered = id !== undefined && parseCursor(id) !== undefined;
      // A repeated snapshot of a part in flight has no number of its own.
      if (!numbered) return event === "part.snapshot" ? { kind: "event", event: value as LogEvent } : undefined;
      const known = parseLogEvent(value);
      return known === null ? undefined : { kind: "event", event: known, id };
    }
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
  });
}
