import { BeeuniError } from "@beeuni/protocol";
import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import type { LogEvent, NewEvent } from "../events.ts";
import { applyEvent } from "../fold/apply.ts";
import type { Draft } from "../fold/draft.ts";
import type { SessionLog } from "../log-types.ts";
import type { TreeState } from "../state.ts";
import { checkEvent } from "./check-event.ts";
import type { LogFs, SessionFiles } from "./files.ts";
import type { LineIndex } from "./line-index.ts";
import type { LoadedLog } from "./load.ts";
import type { Lock } from "./lock.ts";
import { type LinePosition, readEvents } from "./scan.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";
import { LogWriter } from "./writer.ts";

export interface FileLogParts {
  directory: string;
  files: SessionFiles;
  file: FileHandle;
  fs: LogFs;
  lock: Lock;
  epoch: string;
  now: () => number;
  loaded: LoadedLog;
}

/** The one writer of a session's log file. */
export class FileLog implements SessionLog {
  readonly directory: string;
  readonly epoch: string;
  readonly tornBytes: number;
  readonly #files: SessionFiles;
  readonly #file: FileHandle;
  readonly #lock: Lock;
  readonly #now: () => number;
  readonly #draft: Draft;
  readonly #index: LineIndex;
  readonly #writer: LogWriter;
  readonly #snapshots: SnapshotKeeper;
  readonly #listeners = new Set<(events: readonly LogEvent[]) => void>();
  #closing: Promise<void> | null = null;

  constructor({ directory, files, file, fs, lock, epoch, now, loaded }: FileLogParts) {
    this.directory = directory;
    this.epoch = epoch;
    this.tornBytes = loaded.tornBytes;
    this.#files = files;
    this.#file = file;
    this.#lock = lock;
    this.#now = now;
    this.#draft = loaded.draft;
    this.#index = loaded.index;
    this.#snapshots = new SnapshotKeeper(fs, files.snapshot, file, loaded);
    this.#writer = new LogWriter(files.log, file, loaded.end, { durable: (events, positions) => this.#durable(events, positions) });
  }

  get state(): TreeState {
    return this.#draft.take();
  }

  get flushedSeq(): number {
    return this.#writer.durable.seq;
  }

  append(...events: NewEvent[]): LogEvent[] {
    if (this.#closing !== null) throw new BeeuniError("internal", `the log of ${basename(this.directory)} is closed`);
    if (this.#writer.failure !== null) throw this.#writer.failure;
    // All or none: what the next opening would call corrupt must not get in.
    for (const event of events) checkEvent(event);
    return events.map(({ type, session, ...body }) => {
      const { seq, at } = this.#draft.peek;
      const line = JSON.stringify({ seq: seq + 1, at: Math.max(at, Math.floor(this.#now())), type, session, ...body });
      // Folded as it will be read again, and nobody else holds a piece of it.
      const event = JSON.parse(line) as LogEvent;
      applyEvent(this.#draft, event);
      this.#writer.push(event, line);
      return event;
    });
  }

  flushed(seq: number = this.#draft.peek.seq): Promise<void> {
    return this.#writer.flushed(seq);
  }

  async *read(afterSeq: number): AsyncGenerator<LogEvent> {
    for (let seq = afterSeq; seq < this.flushedSeq; ) {
      for await (const event of readEvents(this.#files.log, this.#file, this.#index.before(seq), seq, this.#writer.durable.offset)) {
        seq = event.seq;
        yield event;
      }
    }
  }

  subscribe(listener: (events: readonly LogEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await this.#writer.idle();
      if (this.#writer.failure === null) await this.#snapshots.finish(this.#draft);
    } finally {
      this.#listeners.clear();
      await this.#file.close().catch(() => {});
      await this.#lock.release();
    }
    if (this.#writer.failure !== null) throw this.#writer.failure;
  }

  #durable(events: readonly LogEvent[], positions: readonly LinePosition[]): void {
    for (const position of positions) this.#index.add(position);
    this.#snapshots.durable(positions, this.#draft);
    for (const listener of [...this.#listeners]) {
      try {
        listener(events);
      } catch (thrown) {
        // A listener's fault is no fault of the disk: the log goes on, and the fault is seen.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
