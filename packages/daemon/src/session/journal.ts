import { BeeuniError, toBeeuniError } from "@beeuni/protocol";
import type { LogEvent, NewEvent, SessionLog, SessionState } from "@beeuni/transcript";

/**
 * The session's log as its parts write it: a clock that never goes back, and one place where a log that can't be written
 * ends the session. After that nothing is appended and `flushed` rejects.
 */
export class Journal {
  readonly log: SessionLog;
  readonly session: string;
  #failure: BeeuniError | null = null;
  #isClosed = false;
  #now: number;
  readonly #onFailure: (error: BeeuniError) => void;

  constructor(log: SessionLog, session: string, onFailure: (error: BeeuniError) => void) {
    this.log = log;
    this.session = session;
    this.#now = log.state.at;
    this.#onFailure = onFailure;
  }

  get failure(): BeeuniError | null {
    return this.#failure;
  }

  /** The root session, folded. */
  get state(): SessionState {
    return this.log.state.sessions[this.session]!;
  }

  /** Unix milliseconds, never less than before. */
  now(): number {
    this.#now = Math.max(this.#now, Date.now());
    return this.#now;
  }

  /** Appends; the write is under way. The events with their numbers; none after a failure, or when they are malformed. */
  append(...events: NewEvent[]): LogEvent[] {
    if (this.#failure !== null || this.#isClosed || events.length === 0) return [];
    try {
      const written = this.log.append(...events);
      this.log.flushed(written.at(-1)!.seq).catch((thrown: unknown) => this.#fail(thrown));
      return written;
    } catch (thrown) {
      if (thrown instanceof BeeuniError && thrown.code === "internal") this.#lost(thrown);
      else this.#fail(thrown);
      return [];
    }
  }

  /** Nothing is appended any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Calls back when everything appended so far is on the disk; not at all when that fails. */
  whenFlushed(then: () => void): void {
    this.flushed().then(then, () => {});
  }

  /** Resolves when everything appended so far is on the disk. Rejects with `storage_failed`. */
  async flushed(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    try {
      await this.log.flushed();
    } catch (thrown) {
      this.#fail(thrown);
      throw this.#failure;
    }
  }

  /** Something reported what can't be written, such as a number where a text must be. It is told, never dropped silently. */
  #lost(error: BeeuniError): void {
    this.append({ type: "session.notice", session: this.session, level: "error", code: "event_lost", message: `${error.message}: ${toBeeuniError(error.cause).message}`.slice(0, 2000) });
  }

  #fail(thrown: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = toBeeuniError(thrown);
    this.#onFailure(this.#failure);
  }
}
