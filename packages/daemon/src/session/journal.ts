import { type BeeuniError, toBeeuniError } from "@beeuni/protocol";
import type { LogEvent, NewEvent, SessionLog, SessionState } from "@beeuni/transcript";

/**
 * The session's log as its parts write it: a clock that never goes back, and one place where a log that can't be written
 * ends the session. After that nothing is appended and `flushed` rejects.
 */
export class Journal {
  readonly log: SessionLog;
  readonly session: string;
  #failure: BeeuniError | null = null;
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

  /** Appends; the write is under way. The events with their numbers; none after a failure. */
  append(...events: NewEvent[]): LogEvent[] {
    if (this.#failure !== null || events.length === 0) return [];
    try {
      const written = this.log.append(...events);
      this.log.flushed(written.at(-1)!.seq).catch((thrown: unknown) => this.#fail(thrown));
      return written;
    } catch (thrown) {
      this.#fail(thrown);
      return [];
    }
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

  #fail(thrown: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = toBeeuniError(thrown);
    this.#onFailure(this.#failure);
  }
}
