import type { BeeuniError } from "@beeuni/protocol";
import { encodeFrame, FRAME_KIND, MAX_PAYLOAD_BYTES, type FrameKind } from "./frame.ts";
import type { EncodedFrame, SegmentAppender } from "./segment-appender.ts";
import { storageFailed } from "./storage-error.ts";

/** Most bytes in one write. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BACKLOG_BYTES = 32 * 1024 * 1024;
/**
 * Chunks of a response gather this long, or until they are this many bytes: a stream's many small chunks become few writes.
 * Nothing waits for them but `written`, which does not wait for the timer.
 */
const GATHER_MS = 15;
const GATHER_BYTES = 256 * 1024;

/**
 * Queues frames and writes them in the order of `push`. Frames of one tick become one write, chunks of a response those of
 * some ticks; while a write is under way the next ones gather. The first failure is final: later frames are dropped and every wait rejects with it.
 */
export class FrameLog {
  readonly #segments: SegmentAppender;
  #queue: EncodedFrame[] = [];
  #backlog = 0;
  #pushed = 0;
  #written = 0;
  #waiting: { upTo: number; resolve: () => void; reject: (error: BeeuniError) => void }[] = [];
  #soon: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;
  #draining = false;
  #failure: BeeuniError | undefined;

  constructor(segments: SegmentAppender) {
    this.#segments = segments;
  }

  get failure(): BeeuniError | undefined {
    return this.#failure;
  }

  /** Never throws. The payload must not change afterwards: it is written as it is, not copied. */
  push(kind: FrameKind, call: number, offset: number, payload: Uint8Array): void {
    if (this.#failure !== undefined) return;
    for (let at = 0; at === 0 || at < payload.byteLength; at += MAX_PAYLOAD_BYTES) {
      const piece = payload.byteLength <= MAX_PAYLOAD_BYTES ? payload : payload.subarray(at, at + MAX_PAYLOAD_BYTES);
      const buffers = encodeFrame(kind, call, offset, piece);
      const bytes = buffers[0].byteLength + piece.byteLength;
      this.#queue.push({ kind, call, bytes, buffers });
      this.#backlog += bytes;
      this.#pushed++;
    }
    if (this.#soon !== undefined || this.#draining) return;
    if (kind === FRAME_KIND.responseChunk && this.#backlog < GATHER_BYTES) this.#later ??= setTimeout(() => void this.#drain(), GATHER_MS);
    else this.#soon = setImmediate(() => void this.#drain());
  }

  /** Resolves when everything pushed so far is written (not synced). */
  written(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const upTo = this.#pushed;
    if (this.#written >= upTo) return Promise.resolve();
    void this.#drain();
    return new Promise((resolve, reject) => this.#waiting.push({ upTo, resolve, reject }));
  }

  /** Resolves when everything pushed so far is on the disk. */
  async synced(): Promise<void> {
    await this.written();
    await this.#segments.datasync().catch((error: unknown) => this.#fail(error));
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves at once while little waits to be written, else when what waits now is written. Never rejects. */
  async drained(): Promise<void> {
    if (this.#backlog >= BACKLOG_BYTES) await this.written().catch(() => {});
  }

  async close(): Promise<void> {
    try {
      await this.synced();
    } finally {
      await this.#segments.close();
    }
  }

  async #drain(): Promise<void> {
    clearImmediate(this.#soon);
    clearTimeout(this.#later);
    this.#soon = this.#later = undefined;
    if (this.#draining) return;
    this.#draining = true;
    try {
      while (this.#queue.length > 0) {
        const room = this.#segments.room(this.#queue, BATCH_BYTES);
        if (room === 0) await this.#segments.roll();
        else await this.#write(this.#queue.splice(0, room));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#draining = false;
    }
  }

  async #write(batch: readonly EncodedFrame[]): Promise<void> {
    await this.#segments.append(batch);
    this.#written += batch.length;
    for (const { bytes } of batch) this.#backlog -= bytes;
    const done = this.#waiting.filter((waiter) => waiter.upTo <= this.#written);
    this.#waiting = this.#waiting.filter((waiter) => waiter.upTo > this.#written);
    for (const waiter of done) waiter.resolve();
  }

  #fail(error: unknown): void {
    this.#failure ??= storageFailed(this.#segments.path, error);
    this.#queue = [];
    this.#backlog = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) waiter.reject(this.#failure);
  }
}
