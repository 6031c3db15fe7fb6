import { BeeuniError, type SessionEntry } from "@beeuni/protocol";
import { ENTRY_EVENT, type EntryState, foldEntry, type SessionTree } from "../entry.ts";
import type { LogEvent } from "../events.ts";
import type { TreeState } from "../state.ts";
import { corruptLog, storageFailed } from "./errors.ts";
import { type LogFs, NODE_FS, sessionFiles } from "./files.ts";
import { BadLine, parseLine, readLines } from "./lines.ts";
import { loadLog, openLogFile } from "./load.ts";
import { lockHolder } from "./lock.ts";
import { LOG_START, readEvents } from "./scan.ts";
import { readSnapshotHead } from "./snapshot.ts";

/** A log as it stood when it was read. */
export interface LogReading {
  state: TreeState;
  /** Bytes after the last whole line: a torn one, or one that is being written right now. */
  tornBytes: number;
  /** Its events after `afterSeq`, oldest first, up to `state.seq`. */
  events(afterSeq?: number): AsyncIterable<LogEvent>;
}

/**
 * Reads a session's log without opening it: no lock, nothing is changed, a writer may be at work.
 * Throws `session_not_found`, `session_corrupt` or `storage_failed`.
 */
export async function readSessionLog(directory: string, { fs = NODE_FS }: { fs?: LogFs } = {}): Promise<LogReading> {
  const files = sessionFiles(directory);
  const file = await openLogFile(fs, directory, files.log, "r");
  try {
    const { draft, end, tornBytes, index } = await loadLog(fs, files, file);
    return {
      state: draft.take(),
      tornBytes,
      async *events(afterSeq = 0) {
        const again = await openLogFile(fs, directory, files.log, "r");
        try {
          yield* readEvents(files.log, again, index.before(afterSeq), afterSeq, end.offset);
        } finally {
          await again.close();
        }
      },
    };
  } catch (thrown) {
    throw thrown instanceof BeeuniError ? thrown : storageFailed(`${files.log} can't be read`, thrown);
  } finally {
    await file.close();
  }
}

/**
 * The session's line in a list, cheaply: the snapshot's head and the few events after it. Null when the session was
 * deleted or the folder holds no log. Throws `session_corrupt`.
 */
export async function peekSession(directory: string, options: { fs?: LogFs } = {}): Promise<SessionEntry | null> {
  return (await peekSessionTree(directory, options))?.entry ?? null;
}

/** The same with the sessions that it started. */
export async function peekSessionTree(directory: string, { fs = NODE_FS }: { fs?: LogFs } = {}): Promise<SessionTree | null> {
  const files = sessionFiles(directory);
  const file = await openLogFile(fs, directory, files.log, "r").catch((thrown: unknown) => {
    if (thrown instanceof BeeuniError && thrown.code === "session_not_found") return null;
    throw thrown;
  });
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const head = await readSnapshotHead(fs, files.snapshot, file, size);
    let folded: EntryState | null = head?.root ?? null;
    let { seq, offset } = head ?? LOG_START;
    for await (const lines of readLines(file, offset, size)) {
      const events: LogEvent[] = [];
      for (const line of lines) {
        seq += 1;
        if (ENTRY_EVENT.test(line.toString("latin1", 0, 96))) events.push(entryEvent(line, { file: files.log, line: seq, offset }));
        offset += line.length + 1;
      }
      folded = foldEntry(folded, events);
    }
    if (folded === null) throw corruptLog({ file: files.log, line: 1, offset: 0 }, "the log does not begin with session.created");
    return folded.deleted ? null : { entry: folded.entry, children: folded.children };
  } finally {
    await file.close();
  }
}

/** The process that has the session open for writing, and since when (unix milliseconds); null when none has. */
export async function sessionHolder(directory: string, { fs = NODE_FS }: { fs?: LogFs } = {}): Promise<{ pid: number; since: number } | null> {
  return await lockHolder(fs, sessionFiles(directory).lock);
}

function entryEvent(line: Buffer, place: { file: string; line: number; offset: number }): LogEvent {
  try {
    return parseLine(line, place.line);
  } catch (thrown) {
    throw thrown instanceof BadLine ? corruptLog(place, thrown.message) : thrown;
  }
}
