import type { BeeuniError } from "@beeuni/protocol";
import type { FileHandle } from "node:fs/promises";
import type { LogEvent } from "../events.ts";
import { storageFailed } from "./errors.ts";
import type { LinePosition } from "./scan.ts";

interface Waiter {
  seq: number;
  resolve: () => void;
  reject: (error: BeeuniError) => void;
}

export interface WriterEvents {
  /** These are on the disk now; `end` is the position after the last. */
  durable(events: readonly LogEvent[], positions: readonly LinePosition[]): void;
}

/**
 * Group commit: lines that arrive while a write is being synced go out together with the next one. One write and one
 * fdatasync at a time, in order. The first failure is final: the file is cut back to what is durable (as far as the disk
 * still obeys) and every later wait is rejected.
 */
export class LogWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #out: WriterEvents;
  #durable: LinePosition;
  #queue: { event: LogEvent; bytes: Buffer }[] = [];
  #waiters: Waiter[] = [];
  #running: Promise<void> | null = null;
  #failure: BeeuniError | null = null;

  constructor(path: string, file: FileHandle, end: LinePosition, out: WriterEvents) {
    this.#path = path;
    this.#file = file;
    this.#durable = end;
    this.#out = out;
  }

  get durable(): LinePosition {
    return this.#durable;
  }

  get failure(): BeeuniError | null {
    return this.#failure;
  }

  push(event: LogEvent, line: string): void {
    this.#queue.push({ event, bytes: Buffer.from(`${line}\n`) });
    // Begins in a microtask: what the same run of code appends next is in the same batch.
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  flushed(seq: number): Promise<void> {
    if (seq <= this.#durable.seq) return Promise.resolve();
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }));
  }

  /** Resolves when nothing is under way any more, well or not. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#write(Buffer.concat(batch.map(({ bytes }) => bytes)));
        await this.#file.datasync();
      } catch (thrown) {
        await this.#fail(thrown);
        break;
      }
      this.#commit(batch);
    }
    this.#running = null;
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#durable.offset + done);
      if (bytesWritten === 0) throw new Error("the file takes no more bytes");
      done += bytesWritten;
    }
  }

  #commit(batch: readonly { event: LogEvent; bytes: Buffer }[]): void {
    let { offset } = this.#durable;
    const positions = batch.map(({ event, bytes }) => ({ seq: event.seq, offset: (offset += bytes.length) }));
    const end = (this.#durable = positions.at(-1)!);
    this.#out.durable(batch.map(({ event }) => event), positions);
    const due = this.#waiters.filter(({ seq }) => seq <= end.seq);
    this.#waiters = this.#waiters.filter(({ seq }) => seq > end.seq);
    for (const waiter of due) waiter.resolve();
  }

  async #fail(thrown: unknown): Promise<void> {
    this.#failure = storageFailed(`${this.#path} can't be written`, thrown);
    this.#queue = [];
    // What was refused must not come back as if it had been accepted. If this fails too, whole lines may stay.
    await this.#file.truncate(this.#durable.offset).catch(() => {});
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#failure);
  }
}
