import { BeeuniError } from "@beeuni/protocol";
import { readMessages } from "./connection.ts";
import { Pause } from "./pause.ts";
import { itemOf, type StreamItem } from "./stream-item.ts";
import type { Transport } from "./transport.ts";

export interface EventStreamOptions {
  session: string;
  /** Cursor of the last event that is known already; without it the stream begins with the first event. */
  lastEventId?: string | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
  /** Attempts in a row that bring nothing, after which the iteration throws. Default: no limit. */
  maxRetries?: number | undefined;
}

/**
 * A session's events, over as many connections as it takes: a lost one is made anew from the last event that was taken,
 * with a growing pause. Ends with the signal; throws what no new attempt would change (a wrong token, an unknown session,
 * a log that can't be written any more). One iteration at a time.
 */
export class EventStream implements AsyncIterable<StreamItem> {
  readonly #transport: Transport;
  readonly #options: EventStreamOptions;
  #cursor: string | undefined;
  #connection = new AbortController();

  constructor(transport: Transport, options: EventStreamOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#cursor = options.lastEventId;
  }

  /** Cursor of the last event that was taken. */
  get lastEventId(): string | undefined {
    return this.#cursor;
  }

  /** Gives the connection up with all that was not taken yet. For a client that misses text before a delta. */
  reconnect(): void {
    this.#connection.abort();
  }

  /** Item by item: asking for the next one takes the one before. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamItem, void, undefined> {
    for await (const batch of this.#received()) {
      const { signal } = this.#connection;
      for (const item of batch) {
        yield item;
        if (signal.aborted) break;
        this.#took(item);
      }
    }
  }

  /** The same, as many items at once as came at once: asking for the next batch takes all of the one before. */
  async *batches(): AsyncGenerator<readonly StreamItem[], void, undefined> {
    for await (const batch of this.#received()) {
      const { signal } = this.#connection;
      yield batch;
      if (!signal.aborted) batch.forEach((item) => this.#took(item));
    }
  }

  #took(item: StreamItem): void {
    if ((item.kind === "event" || item.kind === "resync") && item.id !== undefined) this.#cursor = item.id;
  }

  async *#received(): AsyncGenerator<StreamItem[], void, undefined> {
    const { signal, maxRetries = Infinity } = this.#options;
    const pause = new Pause();
    const isOver = (): boolean => signal?.aborted === true;
    for (let inVain = 0; !isOver(); ) {
      const connection = (this.#connection = new AbortController());
      const leave = (): void => connection.abort();
      signal?.addEventListener("abort", leave);
      let problem: unknown;
      try {
        for await (const batch of this.#connect(connection.signal, pause)) {
          inVain = 0;
          pause.reset();
          yield batch;
          if (connection.signal.aborted) break;
        }
      } catch (thrown) {
        if (!connection.signal.aborted && !isPassing(thrown)) throw thrown;
        problem = thrown;
      } finally {
        signal?.removeEventListener("abort", leave);
        connection.abort();
      }
      if (isOver()) return;
      if (inVain++ >= maxRetries) throw problem ?? new BeeuniError("no_server", `the event stream of ${this.#options.session} ends at once`);
      await pause.wait(signal);
    }
  }

  async *#connect(signal: AbortSignal, pause: Pause): AsyncGenerator<StreamItem[], void, undefined> {
    const response = await this.#transport.send("/beeuni/events", {
      query: { session: this.#options.session }, signal,
      headers: { accept: "text/event-stream", ...(this.#cursor === undefined ? {} : { "last-event-id": this.#cursor }) },
    });
    if (response.body === null) throw new BeeuniError("no_server", "the event stream has no body");
    for await (const messages of readMessages(response.body, (milliseconds) => (pause.base = milliseconds))) {
      const items: StreamItem[] = [];
      try {
        for (const message of messages) {
          const item = itemOf(message);
          if (item !== undefined) items.push(item);
        }
      } catch (thrown) {
        // What came before it is whole.
        if (items.length > 0) yield items;
        throw thrown instanceof BeeuniError ? thrown : new BeeuniError("internal", "the event stream holds a malformed frame", { cause: thrown });
      }
      if (items.length > 0) yield items;
    }
  }
}

/** Whether a new attempt may go better: nobody answered, or the connection broke. */
function isPassing(thrown: unknown): boolean {
  return !(thrown instanceof BeeuniError) || thrown.code === "no_server" || thrown.code === "timeout";
}
