import type { LogEvent, NewEvent } from "./events.ts";
import type { TreeState } from "./state.ts";

/**
 * The log of one session tree: `log.jsonl` in the session's folder, appended by one writer.
 * `append` is synchronous (numbers, times and folds the events and queues the write); nothing may be acknowledged or
 * shown before `flushed` says so.
 */
export interface SessionLog {
  readonly directory: string;
  /** This open's id, part of the SSE ids. */
  readonly epoch: string;
  /** Fold of everything appended, flushed or not. */
  readonly state: TreeState;
  /** Bytes of a torn last line that were cut off on open. */
  readonly tornBytes: number;
  append(...events: NewEvent[]): LogEvent[];
  /** Resolves when the event `seq` (default: the last appended) is on the disk. Rejects with `storage_failed`. */
  flushed(seq?: number): Promise<void>;
  /** Number of the last event on the disk. */
  readonly flushedSeq: number;
  /** Durable events after `seq`, oldest first, from the file. */
  read(afterSeq: number): AsyncIterable<LogEvent>;
  /** Called with events once they are on the disk, in order. Returns the way out. */
  subscribe(listener: (events: readonly LogEvent[]) => void): () => void;
  close(): Promise<void>;
}
