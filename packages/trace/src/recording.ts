import type { FrameLog } from "./frame-log.ts";
import { FRAME_KIND, type FrameKind } from "./frame.ts";
import { maskHeaders } from "./mask.ts";
import type { EndRecord, RequestHeadRecord, ResponseHeadRecord } from "./record.ts";
import type { CallEnd, CallRecorder, Route } from "./types.ts";

const NOTHING = new Uint8Array(0);

/** One call under way. Everything behind its end is ignored. */
export class Recording implements CallRecorder {
  readonly number: number;
  readonly #log: FrameLog;
  readonly #monotonic: () => number;
  readonly #startedAt: number;
  readonly #onEnd: () => void;
  #end: Promise<void> | undefined;

  constructor(number: number, head: RequestHeadRecord, log: FrameLog, monotonic: () => number, onEnd: () => void) {
    this.number = number;
    this.#log = log;
    this.#monotonic = monotonic;
    this.#startedAt = monotonic();
    this.#onEnd = onEnd;
    this.#frame(FRAME_KIND.requestHead, json(head));
  }

  requestBody(chunk: Uint8Array): void {
    if (chunk.byteLength > 0) this.#frame(FRAME_KIND.requestChunk, chunk);
  }

  requestEnd(): void {
    this.#frame(FRAME_KIND.requestEnd, NOTHING);
  }

  route(route: Route): void {
    this.#frame(FRAME_KIND.route, json(route));
  }

  responseHead(status: number, headers: readonly (readonly [string, string])[]): void {
    const record: ResponseHeadRecord = { status, headers: maskHeaders(headers) };
    this.#frame(FRAME_KIND.responseHead, json(record));
  }

  responseBody(chunk: Uint8Array): void {
    if (chunk.byteLength > 0) this.#frame(FRAME_KIND.responseChunk, chunk);
  }

  end(reason: CallEnd, error?: string): Promise<void> {
    if (this.#end !== undefined) return this.#end;
    const record: EndRecord = error === undefined ? { reason } : { reason, error };
    this.#frame(FRAME_KIND.end, json(record));
    this.#end = this.#log.written();
    this.#onEnd();
    return this.#end;
  }

  #frame(kind: FrameKind, payload: Uint8Array): void {
    if (this.#end !== undefined) return;
    const microseconds = Math.max(0, Math.round((this.#monotonic() - this.#startedAt) * 1000));
    this.#log.push(kind, this.number, microseconds, payload);
  }
}

function json(record: object): Buffer {
  return Buffer.from(JSON.stringify(record));
}
