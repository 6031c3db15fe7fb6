import type { FileHandle } from "node:fs/promises";
import type { LogEvent } from "../events.ts";
import { corruptLog } from "./errors.ts";
import { BadLine, parseLine, readLines } from "./lines.ts";

/** A place between two lines: `seq` is the number of the line before it, `offset` its first byte after that. */
export interface LinePosition {
  seq: number;
  offset: number;
}

export const LOG_START: LinePosition = { seq: 0, offset: 0 };

/**
 * Reads and checks every whole line from `from` up to the byte `size`. Calls back with each event and the position after
 * it; returns the position after the last. What stands behind that is a torn line. Throws `session_corrupt` at a bad one.
 */
export async function scanLog(
  path: string, file: FileHandle, from: LinePosition, size: number, onEvent: (event: LogEvent, after: LinePosition) => void,
): Promise<LinePosition> {
  let { seq, offset } = from;
  for await (const lines of readLines(file, from.offset, size)) {
    for (const line of lines) {
      let event: LogEvent;
      try {
        event = parseLine(line, seq + 1);
      } catch (thrown) {
        throw thrown instanceof BadLine ? corruptLog({ file: path, line: seq + 1, offset }, thrown.message) : thrown;
      }
      seq += 1;
      offset += line.length + 1;
      onEvent(event, { seq, offset });
    }
  }
  return { seq, offset };
}

/** Events after `afterSeq`, from a known position at or before it up to the byte `size`. Earlier lines are not parsed. */
export async function* readEvents(path: string, file: FileHandle, from: LinePosition, afterSeq: number, size: number): AsyncGenerator<LogEvent> {
  let { seq, offset } = from;
  for await (const lines of readLines(file, from.offset, size)) {
    for (const line of lines) {
      seq += 1;
      if (seq > afterSeq) {
        let event: LogEvent;
        try {
          event = JSON.parse(line.toString("utf8")) as LogEvent;
        } catch (thrown) {
          throw corruptLog({ file: path, line: seq, offset }, "the line is not JSON", thrown);
        }
        yield event;
      }
      offset += line.length + 1;
    }
  }
}
