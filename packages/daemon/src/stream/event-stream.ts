import type { ServerResponse } from "node:http";
import { type BeeuniError, formatCursor, HEARTBEAT_SECONDS, parseCursor, type StreamCursor } from "@beeuni/protocol";
import type { LogEvent, SessionLog, StreamEvent } from "@beeuni/transcript";
import type { EventHub } from "./event-hub.ts";

export interface EventStreamOptions {
  session: string;
  log: SessionLog;
  hub: EventHub;
  /** Where the client is; undefined: from the beginning. */
  cursor: string | undefined;
  /** A client that is this many bytes behind is dropped: it comes back and is replayed to from the log. */
  maxBehind: number;
  heartbeatMs?: number;
}

/**
 * One client of a session's event stream (server-sent events; frames: see the protocol's `stream.ts`). What was before is
 * replayed from the log's file at the client's own pace; then events go out as they come. Resolves when the client is gone.
 */
export async function serveEventStream(response: ServerResponse, options: EventStreamOptions): Promise<void> {
  const stream = new EventStream(response, options);
  await stream.run();
}

class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #gone: Promise<void>;
  #isGone = false;
  /** Number of the last event that was written. */
  #seq = 0;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#gone = new Promise((resolve) => {
      response.on("close", () => {
        this.#isGone = true;
        resolve();
      });
      response.on("error", () => {});
    });
  }

  async run(): Promise<void> {
    const { log, session } = this.#options;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store, no-transform", connection: "keep-alive", "x-accel-buffering": "no",
    });
    const heartbeat = setInterval(() => this.#heartbeat(), this.#options.heartbeatMs ?? HEARTBEAT_SECONDS * 1000);
    let leave: (() => void) | undefined;
    try {
      this.#frame("hello", { epoch: log.epoch, head: log.flushedSeq, session });
      await this.#begin();
      leave = await this.#catchUp();
      await this.#gone;
    } catch (thrown) {
      // The log could not be read: the client comes back and is told.
      this.#response.destroy(thrown as Error);
    } finally {
      clearInterval(heartbeat);
      leave?.();
    }
  }

  /** Finds where the client is, or sends it everything when its cursor is of no use. */
  async #begin(): Promise<void> {
    const { cursor: text, log } = this.#options;
    if (text === undefined || text === "") return;
    const cursor = parseCursor(text);
    if (cursor !== undefined && (await isReplayable(cursor, log))) {
      this.#seq = cursor.seq;
      return;
    }
    // Only what is on the disk may be shown: the fold may be ahead of it.
    const { state, epoch } = log;
    await log.flushed(state.seq);
    this.#seq = state.seq;
    this.#frame("resync", { epoch, seq: state.seq, state }, formatCursor({ epoch, seq: state.seq }));
  }

  /** Replays the log up to the present and joins the live events. Answers the way out. */
  async #catchUp(): Promise<(() => void) | undefined> {
    const { log, hub } = this.#options;
    while (!this.#isGone) {
      // In one go with joining, so that nothing falls between: the hub has delivered what we have written.
      if (this.#seq >= hub.delivered) return this.#join();
      for await (const event of log.read(this.#seq)) {
        this.#event(event);
        if (this.#response.writableNeedDrain) await this.#drained();
        if (this.#isGone) return undefined;
      }
    }
    return undefined;
  }

  #join(): () => void {
    const { hub } = this.#options;
    for (const { session, part, text } of hub.streamed()) {
      this.#frame("part.snapshot", { seq: 0, at: 0, type: "part.snapshot", session, part, text });
    }
    return hub.subscribe({
      event: (event) => this.#live(event),
      failed: (error) => this.#failed(error),
      closed: () => this.#response.end(),
    });
  }

  #live(event: StreamEvent): void {
    if (this.#response.writableLength > this.#options.maxBehind) {
      this.#response.destroy();
      return;
    }
    if (event.type === "part.delta") this.#write(event.type, textOf(event));
    else if (event.seq > this.#seq) this.#event(event);
  }

  #event(event: LogEvent): void {
    this.#seq = event.seq;
    this.#write(event.type, textOf(event), formatCursor({ epoch: this.#options.log.epoch, seq: event.seq }));
  }

  #heartbeat(): void {
    // One that does not read gets no more to read.
    if (!this.#response.writableNeedDrain) this.#frame("heartbeat", { at: Date.now(), head: this.#options.log.flushedSeq });
  }

  #failed(error: BeeuniError): void {
    this.#frame("failed", error.toBody());
    this.#response.end();
  }

  #frame(event: string, data: unknown, id?: string): void {
    this.#write(event, JSON.stringify(data), id);
  }

  #write(event: string, data: string, id?: string): void {
    if (this.#isGone) return;
    this.#response.write(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`);
  }

  async #drained(): Promise<void> {
    await Promise.race([this.#gone, new Promise((resolve) => this.#response.once("drain", resolve))]);
  }
}

let newest: { event: StreamEvent; text: string } | undefined;

/** The event's JSON. All clients get an event one after the other: it is written once for all of them. */
function textOf(event: StreamEvent): string {
  if (newest?.event !== event) newest = { event, text: JSON.stringify(event) };
  return newest.text;
}

/** Whether the log still has what the cursor names. The epoch must be one of this very log. */
async function isReplayable({ epoch, seq }: StreamCursor, log: SessionLog): Promise<boolean> {
  if (seq > log.flushedSeq) return false;
  if (epoch === log.epoch) return true;
  for await (const event of log.read(0)) {
    if (event.type === "session.opened" && event.epoch === epoch) return true;
  }
  return false;
}
