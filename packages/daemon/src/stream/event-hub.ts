import type { BeeuniError } from "@beeuni/protocol";
import type { LogEvent, SessionLog, StreamEvent } from "@beeuni/transcript";

/** A part that is being streamed, with the text that listeners have been given. */
export interface StreamedPart {
  session: string;
  part: string;
  text: string;
}

interface Streamed {
  session: string;
  text: string;
  /** Length of `text` that listeners have. */
  sent: number;
  /** The deltas of the rest of `text`, as they came. */
  held: string[];
  /** The last event of the log about this part: its deltas wait until that is on the disk. */
  after: number;
}

export interface HubListener {
  event(event: StreamEvent): void;
  /** The log can't be written any more: nothing follows. */
  failed?(error: BeeuniError): void;
  /** The session was closed: nothing follows. */
  closed?(): void;
}

/**
 * Fans a session's events out: events of the log once they are on the disk, in order; text deltas at once. A delta
 * overtakes events of other parts, never one of its own part: it waits for the part's creation, and for a snapshot that is
 * still being written (which would otherwise take newer text away from whoever has it).
 */
export class EventHub {
  readonly #listeners = new Set<HubListener>();
  readonly #streamed = new Map<string, Streamed>();
  readonly #unsubscribe: () => void;
  #delivered: number;

  constructor(log: SessionLog) {
    this.#delivered = log.flushedSeq;
    this.#unsubscribe = log.subscribe((events) => this.#deliver(events));
  }

  /** Number of the last event that listeners were given; what comes to a new listener comes after it. */
  get delivered(): number {
    return this.#delivered;
  }

  subscribe(listener: HubListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Parts being streamed whose creation has been delivered, with the text delivered so far. */
  streamed(): StreamedPart[] {
    return [...this.#streamed]
      .filter(([, { after, sent }]) => sent > 0 || after <= this.#delivered)
      .map(([part, { session, text, sent }]) => ({ session, part, text: text.slice(0, sent) }));
  }

  /** Whole text of a streamed part so far, also what has not been delivered. */
  textOf(part: string): string | undefined {
    return this.#streamed.get(part)?.text;
  }

  /** `created` is the number of the event that creates the part. */
  begin(session: string, part: string, created: number): void {
    this.#streamed.set(part, { session, text: "", sent: 0, held: [], after: created });
  }

  delta(part: string, delta: string): void {
    const streamed = this.#streamed.get(part);
    if (streamed === undefined) return;
    streamed.text += delta;
    streamed.held.push(delta);
    if (streamed.after <= this.#delivered) this.#send(part, streamed);
  }

  /** The part's text so far was appended to the log as the event `seq`. */
  snapshot(part: string, seq: number): void {
    const streamed = this.#streamed.get(part);
    if (streamed !== undefined) streamed.after = seq;
  }

  /** Nothing can be written any more. */
  fail(error: BeeuniError): void {
    for (const listener of [...this.#listeners]) listener.failed?.(error);
    this.#listeners.clear();
  }

  close(): void {
    this.#unsubscribe();
    for (const listener of [...this.#listeners]) listener.closed?.();
    this.#listeners.clear();
    this.#streamed.clear();
  }

  #deliver(events: readonly LogEvent[]): void {
    for (const event of events) {
      this.#delivered = event.seq;
      this.#emit(event);
      if (event.type === "part.snapshot") this.#covered(event.part, event.text.length);
      for (const [part, streamed] of this.#streamed) {
        if (streamed.after <= event.seq) this.#send(part, streamed);
      }
      if (event.type === "part.updated" && isOver(event)) this.#streamed.delete(event.part.id);
    }
  }

  #send(part: string, streamed: Streamed): void {
    for (const delta of streamed.held.splice(0)) {
      const offset = streamed.sent;
      streamed.sent += delta.length;
      this.#emit({ type: "part.delta", session: streamed.session, part, offset, delta });
    }
  }

  /** A snapshot brought the first `length` characters to everyone. */
  #covered(part: string, length: number): void {
    const streamed = this.#streamed.get(part);
    while (streamed !== undefined && streamed.sent < length) streamed.sent += streamed.held.shift()!.length;
  }

  #emit(event: StreamEvent): void {
    for (const listener of [...this.#listeners]) listener.event(event);
  }
}

function isOver({ part }: Extract<LogEvent, { type: "part.updated" }>): boolean {
  return (part.type === "text" || part.type === "reasoning") && part.endedAt !== undefined;
}
