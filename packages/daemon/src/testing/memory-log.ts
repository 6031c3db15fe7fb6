import { EMPTY_TREE, type LogEvent, type NewEvent, reduceAll, type SessionLog } from "@beeuni/transcript";

/** A session log without a disk: events become durable when the test says so. */
export class MemoryLog implements SessionLog {
  readonly directory = "/nowhere";
  readonly epoch = "evt_memory";
  readonly tornBytes = 0;
  state = EMPTY_TREE;
  flushedSeq = 0;
  readonly events: LogEvent[] = [];
  readonly #listeners = new Set<(events: readonly LogEvent[]) => void>();
  #waiting: { seq: number; promise: PromiseWithResolvers<void> }[] = [];

  append(...events: NewEvent[]): LogEvent[] {
    const written = events.map((event, index) => ({ ...event, seq: this.events.length + index + 1, at: 1000 }) as LogEvent);
    this.events.push(...written);
    this.state = reduceAll(this.state, written);
    return written;
  }

  flushed(seq = this.events.length): Promise<void> {
    if (seq <= this.flushedSeq) return Promise.resolve();
    const promise = Promise.withResolvers<void>();
    this.#waiting.push({ seq, promise });
    return promise.promise;
  }

  /** Makes everything up to `seq` (default: all of it) durable. */
  sync(seq = this.events.length): void {
    const fresh = this.events.slice(this.flushedSeq, seq);
    this.flushedSeq = seq;
    if (fresh.length > 0) for (const listener of this.#listeners) listener(fresh);
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((waiter) => waiter.seq > seq);
    for (const waiter of waiting) if (waiter.seq <= seq) waiter.promise.resolve();
  }

  async *read(afterSeq: number): AsyncIterable<LogEvent> {
    yield* this.events.slice(afterSeq, this.flushedSeq);
  }

  subscribe(listener: (events: readonly LogEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {}
}
