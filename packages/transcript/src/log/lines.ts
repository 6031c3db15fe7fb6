import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { type LogEvent, parseLogEvent, TRANSCRIPT_FORMAT } from "../events.ts";

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * The whole lines between two byte offsets, a chunk's worth at a time, without their line feeds. Bytes after the last line
 * feed are left out: add up the lines to know how many there are. A line may be longer than a chunk.
 */
export async function* readLines(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer[]> {
  let rest: Buffer[] = [];
  for (let offset = from; offset < to; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, to - offset));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, offset);
    if (bytesRead === 0) return;
    offset += bytesRead;
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < bytesRead; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end);
      lines.push(rest.length === 0 ? line : Buffer.concat([...rest, line]));
      rest = [];
      start = end + 1;
    }
    if (start < bytesRead) rest.push(chunk.subarray(start, bytesRead));
    if (lines.length > 0) yield lines;
  }
}

/** What is wrong with a line, in words for a person. */
export class BadLine extends Error {}

/**
 * The event of a line as it stands there (fields of a later version are kept). Throws BadLine when it isn't the event
 * number `seq`: not UTF-8, not JSON, another number, a malformed event, or the head of another format.
 */
export function parseLine(line: Buffer, seq: number): LogEvent {
  if (!isUtf8(line)) throw new BadLine("the line is not valid UTF-8");
  let event: LogEvent;
  try {
    event = JSON.parse(line.toString("utf8")) as LogEvent;
  } catch {
    throw new BadLine("the line is not JSON");
  }
  if (event === null || typeof event !== "object") throw new BadLine("the line is not an event");
  if (event.seq !== seq) throw new BadLine(`the line should be event ${seq}, but says ${JSON.stringify(event.seq) ?? "nothing"}`);
  if (seq === 1) checkHead(event);
  try {
    parseLogEvent(event);
  } catch (thrown) {
    throw new BadLine(`the line is no well-formed ${event.type} event: ${firstIssue(thrown)}`);
  }
  return event;
}

function checkHead(event: LogEvent): void {
  if (event.type !== "session.created") throw new BadLine("a log begins with session.created");
  if (event.format !== TRANSCRIPT_FORMAT) {
    throw new BadLine(`the log has the format ${JSON.stringify(event.format)}; this version reads ${TRANSCRIPT_FORMAT}`);
  }
}

function firstIssue(thrown: unknown): string {
  const [issue] = (thrown as { issues?: { path: PropertyKey[]; message: string }[] }).issues ?? [];
  return issue === undefined ? String(thrown) : `${issue.path.map(String).join(".")}: ${issue.message}`;
}
