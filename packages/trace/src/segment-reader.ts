import { NODE_FILES, type TraceFile, type TraceFiles } from "./files.ts";
import { decodeFrame, type Frame } from "./frame.ts";
import { decodeSegmentHeader, type SegmentHeader } from "./segment.ts";

const READ_BYTES = 256 * 1024;

export interface SegmentVisitor {
  header?(header: SegmentHeader): void;
  /** `from` and `to`: the frame's bytes in the file. The payload is only valid during the call. */
  frame(frame: Frame, from: number, to: number): void;
}

/**
 * Where reading ended. `offset` is the first byte that is not part of a whole header or frame.
 * end: nothing follows · short: the file (of `size` bytes) ends inside a frame, which is being written or torn · bad: what
 * stands there is no frame.
 */
export type SegmentStop =
  | { offset: number; reason: "end" }
  | { offset: number; reason: "short"; why: string; size: number }
  | { offset: number; reason: "bad"; why: string };

/** Reads the frames of one segment from `from` (0: the header first) up to `until`, in pieces of bounded size. Damage never throws. */
export async function readSegment(
  path: string, from: number, visitor: SegmentVisitor, options: { until?: number; files?: TraceFiles } = {},
): Promise<SegmentStop> {
  const file = await (options.files ?? NODE_FILES).open(path, "r");
  try {
    return await readFrames(file, from, options.until ?? Infinity, visitor);
  } finally {
    await file.close();
  }
}

async function readFrames(file: TraceFile, from: number, until: number, visitor: SegmentVisitor): Promise<SegmentStop> {
  let buffer = Buffer.allocUnsafe(READ_BYTES);
  /** File offset of the buffer's first byte; the buffer holds [0, filled). */
  let base = from;
  let filled = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, base + filled);
    filled += bytesRead;
    const step = visitPieces(buffer.subarray(0, filled), base, until, visitor);
    if (step.stop !== undefined && step.stop.reason !== "short") return step.stop;
    if (bytesRead === 0) return step.stop ?? { offset: base + step.used, reason: "end" };
    const rest = filled - step.used;
    const room = Math.max(step.need, READ_BYTES);
    const next = room > buffer.length ? Buffer.allocUnsafe(room) : buffer;
    buffer.copy(next, 0, step.used, filled);
    buffer = next;
    base += step.used;
    filled = rest;
  }
}

interface Step {
  used: number;
  /** Bytes that the next piece needs at least. */
  need: number;
  stop?: SegmentStop;
}

/** Visits every whole piece in the bytes; stops at the first that is not. */
function visitPieces(bytes: Buffer, base: number, until: number, visitor: SegmentVisitor): Step {
  let used = 0;
  if (base === 0) {
    const first = decodeSegmentHeader(bytes);
    if (first.type === "short") return { used, need: bytes.length + 1, stop: { offset: 0, reason: "short", why: "the header line has no end", size: bytes.length } };
    if (first.type === "bad") return { used, need: 0, stop: { offset: 0, reason: "bad", why: first.why } };
    visitor.header?.(first.header);
    used = first.bytes;
  }
  while (used < bytes.length) {
    const offset = base + used;
    if (offset >= until) return { used, need: 0, stop: { offset, reason: "end" } };
    const decoded = decodeFrame(bytes, used);
    if (decoded.type === "short") return { used, need: decoded.need, stop: { offset, reason: "short", why: "the file ends inside a frame", size: base + bytes.length } };
    if (decoded.type === "bad") return { used, need: 0, stop: { offset, reason: "bad", why: decoded.why } };
    visitor.frame(decoded.frame, offset, offset + decoded.bytes);
    used += decoded.bytes;
  }
  return { used, need: 0 };
}
