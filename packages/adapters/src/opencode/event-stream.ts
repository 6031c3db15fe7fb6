// eventsource-parser: splits a byte stream into server-sent events as the standard says.
import { createParser } from "eventsource-parser";
import { setTimeout as sleep } from "node:timers/promises";
import type { NativeEvent } from "./native-events.ts";
import type { ServerApi } from "./server-api.ts";

export interface EventStreamOptions {
  api: Pick<ServerApi, "events">;
  onEvent: (event: NativeEvent) => void;
  /** The stream was broken and is there again: events in between are lost. */
  onReconnect: () => void;
  onTrouble: (message: string) => void;
  silenceMs: number;
}

const RETRY_MS = 200;

/**
 * OpenCode's events for as long as the session is open. A stream that breaks, or that falls silent although heartbeats are due, is
 * opened again; OpenCode replays nothing, so whoever listens has to look for what it missed.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(options: EventStreamOptions, connected: () => void) {
    this.#options = options;
    this.#running = this.#run(connected);
  }

  /** Resolves when the stream stands: later events are seen. */
  static async open(options: EventStreamOptions): Promise<EventStream> {
    let stream: EventStream | undefined;
    await new Promise<void>((resolve) => { stream = new EventStream(options, resolve); });
    return stream!;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(connected: () => void): Promise<void> {
    let isFirst = true;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#connect(() => {
          if (isFirst) connected();
          else this.#options.onReconnect();
          isFirst = false;
        });
      } catch (thrown) {
        if (!this.#stop.signal.aborted) this.#options.onTrouble(`OpenCode's event stream broke: ${(thrown as Error).message}`);
      }
      await sleep(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** One connection. Ends when OpenCode ends it, throws when it breaks or falls silent. */
  async #connect(onOpen: () => void): Promise<void> {
    const silent = new AbortController();
    const watch = setTimeout(() => silent.abort(new Error("nothing came for too long")), this.#options.silenceMs);
    const parser = createParser({ onEvent: ({ data }) => this.#receive(data, onOpen) });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of await this.#options.api.events(AbortSignal.any([this.#stop.signal, silent.signal]))) {
        watch.refresh();
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } finally {
      clearTimeout(watch);
    }
  }

  #receive(data: string, onOpen: () => void): void {
    const event = parse(data);
    if (event === null) this.#options.onTrouble(`OpenCode sent an event that is no JSON: ${data.slice(0, 200)}`);
    else if (event.type === "server.connected") onOpen();
    else this.#options.onEvent(event);
  }
}

function parse(data: string): NativeEvent | null {
  try {
    return JSON.parse(data) as NativeEvent;
  } catch {
    return null;
  }
}
