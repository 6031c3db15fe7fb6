import type { TraceFiles } from "./files.ts";
import { join } from "node:path";

/** Format id in the first line of every segment. Additions only within it; readers skip frame kinds they don't know. */
export const TRACE_FORMAT = "beeuni.trace.v1";

/**
 * First line of a segment, JSON and `\n`; frames follow. It says what the earlier segments leave open, so that opening a
 * long trace reads its last segment only.
 */
export interface SegmentHeader {
  format: typeof TRACE_FORMAT;
  /** Number that the next new call gets. */
  nextCall: number;
  /** Calls begun in an earlier segment that have no end yet. */
  openCalls: number[];
}

const MAX_HEADER_BYTES = 64 * 1024;
const NAME = /^(\d{4,})\.seg$/;

export function segmentName(index: number): string {
  return `${String(index).padStart(4, "0")}.seg`;
}

export function segmentPath(directory: string, index: number): string {
  return join(directory, segmentName(index));
}

/** Numbers of the segments in the folder, ascending; none when there is no folder. */
export async function listSegments(directory: string, files: Pick<TraceFiles, "readdir">): Promise<number[]> {
  const names = await files.readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number).sort((a, b) => a - b);
}

export function encodeSegmentHeader(nextCall: number, openCalls: readonly number[]): Buffer {
  const header: SegmentHeader = { format: TRACE_FORMAT, nextCall, openCalls: [...openCalls] };
  return Buffer.from(`${JSON.stringify(header)}\n`);
}

export type DecodedSegmentHeader = { type: "header"; header: SegmentHeader; bytes: number } | { type: "short" } | { type: "bad"; why: string };

/** Reads the first line. `short`: the line has no end yet. */
export function decodeSegmentHeader(bytes: Buffer): DecodedSegmentHeader {
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(0x0a);
  if (end < 0) return bytes.length < MAX_HEADER_BYTES ? { type: "short" } : { type: "bad", why: "no header line" };
  const header = parse(bytes.toString("utf8", 0, end));
  if (header === undefined) return { type: "bad", why: `the first line is not a ${TRACE_FORMAT} header` };
  return { type: "header", header, bytes: end + 1 };
}

function parse(line: string): SegmentHeader | undefined {
  try {
    const value = JSON.parse(line) as Partial<SegmentHeader> | null;
    const whole = value?.format === TRACE_FORMAT && Number.isSafeInteger(value.nextCall) && Array.isArray(value.openCalls);
    return whole ? (value as SegmentHeader) : undefined;
  } catch {
    return undefined;
  }
}
