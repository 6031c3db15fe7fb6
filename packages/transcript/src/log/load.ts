import type { FileHandle } from "node:fs/promises";
import { applyEvent } from "../fold/apply.ts";
import { Draft } from "../fold/draft.ts";
import { EMPTY_TREE } from "../state.ts";
import { corruptLog, noSession, storageFailed } from "./errors.ts";
import { errorCode, type LogFs, type SessionFiles } from "./files.ts";
import { LineIndex } from "./line-index.ts";
import { LOG_START, type LinePosition, scanLog } from "./scan.ts";
import { readSnapshot } from "./snapshot.ts";

/** A log as it stands on the disk. */
export interface LoadedLog {
  draft: Draft;
  /** End of the last whole line. */
  end: LinePosition;
  /** Bytes after it. */
  tornBytes: number;
  index: LineIndex;
  /** Where the snapshot that was used ends (the log's start without one), and the length of its state's JSON. */
  snapshot: { at: LinePosition; bytes: number };
  /** Length of the last line, without its line feed. */
  lastLength: number;
}

/** Opens the log file. `session_not_found` when there is none, `storage_failed` when it can't be opened. */
export async function openLogFile(fs: LogFs, directory: string, path: string, flags: "r" | "r+"): Promise<FileHandle> {
  try {
    return await fs.open(path, flags);
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") throw noSession(directory, thrown);
    throw storageFailed(`${path} can't be opened`, thrown);
  }
}

/** Folds the log: from its snapshot when that fits, else from the first line. Changes nothing on the disk. */
export async function loadLog(fs: LogFs, files: SessionFiles, file: FileHandle): Promise<LoadedLog> {
  const { size } = await file.stat();
  const snapshot = await readSnapshot(fs, files.snapshot, file, size);
  const draft = new Draft(snapshot?.state ?? EMPTY_TREE);
  const from = snapshot?.at ?? LOG_START;
  const index = new LineIndex();
  index.add(from);
  let last = from;
  let lastLength = 0;
  const end = await scanLog(files.log, file, from, size, (event, after) => {
    applyEvent(draft, event);
    index.add(after);
    lastLength = after.offset - last.offset - 1;
    last = after;
  });
  if (end.seq === 0) throw corruptLog({ file: files.log, line: 1, offset: 0 }, "the log holds no whole line");
  return { draft, end, tornBytes: size - end.offset, index, snapshot: { at: from, bytes: snapshot?.bytes ?? 0 }, lastLength };
}
