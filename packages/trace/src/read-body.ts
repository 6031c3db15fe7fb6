import { BeeuniError } from "@beeuni/protocol";
import type { Span } from "./call-record.ts";
import { NODE_FILES, type TraceFiles } from "./files.ts";
import { FRAME_KIND, type Frame } from "./frame.ts";
import { parseJson } from "./wire/fields.ts";
import { headerValue, type RequestHeadRecord, type ResponseHeadRecord } from "./record.ts";
import { readSegment } from "./segment-reader.ts";
import { listSegments, segmentPath } from "./segment.ts";
import { decodeContent } from "./wire/content-coding.ts";

export type BodySide = "request" | "response";

export interface RecordedBody {
  /** Entity bytes as they passed, content coding untouched. */
  bytes: Uint8Array;
  /** Content-Encoding of that side; null when there is none. */
  encoding: string | null;
}

/** The exact entity bytes of one call, as far as they are recorded. Throws `call_not_found`. */
export async function readBody(directory: string, number: number, side: BodySide, files: TraceFiles = NODE_FILES): Promise<Uint8Array> {
  return (await readRecorded(directory, number, side, files)).bytes;
}

/**
 * A body to look at: content coding undone, as text. `problem` says why that is not everything, or not exactly what passed.
 * Throws `call_not_found`.
 */
export async function readBodyText(
  directory: string, number: number, side: BodySide, files: TraceFiles = NODE_FILES,
): Promise<{ text: string; problem: string | null }> {
  return bodyText(await readRecorded(directory, number, side, files));
}

async function readRecorded(directory: string, number: number, side: BodySide, files: TraceFiles): Promise<RecordedBody> {
  const segments = await listSegments(directory, files);
  return readBodyAt(directory, number, side, segments.map((segment) => ({ segment, from: 0, to: Infinity })), files);
}

/** Like `readBody`, when it is known where the call's frames stand. */
export async function readBodyAt(
  directory: string, number: number, side: BodySide, spans: readonly Span[], files: TraceFiles,
): Promise<RecordedBody> {
  const collector = new BodyCollector(side);
  for (const { segment, from, to } of spans) {
    await readSegment(segmentPath(directory, segment), from, {
      frame: (frame) => void (frame.call === number && collector.add(frame)),
    }, { until: to, files });
  }
  if (!collector.found) throw new BeeuniError("call_not_found", `the trace ${directory} has no call ${number}`);
  return { bytes: Buffer.concat(collector.chunks), encoding: collector.encoding };
}

class BodyCollector {
  found = false;
  chunks: Buffer[] = [];
  encoding: string | null = null;
  readonly #side: BodySide;

  constructor(side: BodySide) {
    this.#side = side;
  }

  add(frame: Frame): void {
    const request = this.#side === "request";
    switch (frame.kind) {
      case FRAME_KIND.requestHead:
        this.found = true;
        if (request) this.#begin(frame);
        break;
      case FRAME_KIND.responseHead:
        if (!request) this.#begin(frame);
        break;
      case request ? FRAME_KIND.requestChunk : FRAME_KIND.responseChunk:
        this.chunks.push(Buffer.from(frame.payload));
        break;
    }
  }

  #begin(frame: Frame): void {
    const head = parseJson(Buffer.from(frame.payload).toString()) as RequestHeadRecord | ResponseHeadRecord | undefined;
    this.chunks = [];
    this.encoding = head === undefined ? null : headerValue(head.headers, "content-encoding");
  }
}

/** Decodes a recorded body for reading; see `readBodyText`. */
export function bodyText(body: RecordedBody): { text: string; problem: string | null } {
  const decoded = decodeContent(body.bytes, body.encoding);
  if (decoded.problem !== null) return { text: "", problem: decoded.problem };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decoded.bytes), problem: null };
  } catch {
    return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(decoded.bytes), problem: "the body is not valid UTF-8: bad bytes are shown as \uFFFD" };
  }
}
