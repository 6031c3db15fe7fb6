import { FRAME_KIND, type Frame } from "./frame.ts";
import type { EndRecord, RequestHeadRecord, ResponseHeadRecord } from "./record.ts";
import type { Route } from "./types.ts";
import { parseJson } from "./wire/fields.ts";

/** Where frames of a call stand: bytes [from, to) of a segment, among other calls' frames. */
export interface Span {
  segment: number;
  from: number;
  to: number;
}

/** The frames of one call, put together. Offsets are microseconds. */
export interface CallRecord {
  number: number;
  head: RequestHeadRecord;
  request: Uint8Array[];
  requestEnded: boolean;
  attempts: Route[];
  response: ResponseHeadRecord | null;
  body: Uint8Array[];
  firstByte: number | null;
  end: (EndRecord & { offset: number }) | null;
  spans: Span[];
  /** Bytes between this call's frames could not be read. */
  damage: string | null;
}

/** A new record from a request head; undefined when its JSON is none. */
export function beginRecord(frame: Frame): CallRecord | undefined {
  const head = parse<RequestHeadRecord>(frame);
  if (head === undefined) return undefined;
  return {
    number: frame.call, head, request: [], requestEnded: false, attempts: [], response: null, body: [], firstByte: null, end: null,
    spans: [], damage: null,
  };
}

/** Adds a later frame of the call. Kinds of a later version are skipped. */
export function addFrame(record: CallRecord, frame: Frame): void {
  switch (frame.kind) {
    case FRAME_KIND.requestChunk:
      record.request.push(Buffer.from(frame.payload));
      break;
    case FRAME_KIND.requestEnd:
      record.requestEnded = true;
      break;
    case FRAME_KIND.route:
      record.attempts.push(...one(parse<Route>(frame)));
      break;
    case FRAME_KIND.responseHead:
      record.response = parse<ResponseHeadRecord>(frame) ?? null;
      record.body = [];
      record.firstByte = null;
      break;
    case FRAME_KIND.responseChunk:
      record.body.push(Buffer.from(frame.payload));
      record.firstByte ??= frame.offset;
      break;
    case FRAME_KIND.end: {
      const end = parse<EndRecord>(frame);
      if (end !== undefined) record.end = { ...end, offset: frame.offset };
      break;
    }
  }
}

export function addSpan(record: CallRecord, segment: number, from: number, to: number): void {
  const last = record.spans.at(-1);
  if (last?.segment === segment) last.to = to;
  else record.spans.push({ segment, from, to });
}

function parse<T>(frame: Frame): T | undefined {
  return parseJson(Buffer.from(frame.payload.buffer, frame.payload.byteOffset, frame.payload.byteLength).toString()) as T | undefined;
}

function one<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
