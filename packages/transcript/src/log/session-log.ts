import { BeeuniError, observeId, type SessionInfo } from "@beeuni/protocol";
import { randomBytes } from "node:crypto";
import { basename, dirname } from "node:path";
import { type LogEvent, TRANSCRIPT_FORMAT } from "../events.ts";
import type { SessionLog } from "../log-types.ts";
import type { TreeState } from "../state.ts";
import { checkEvent } from "./check-event.ts";
import { storageFailed } from "./errors.ts";
import { FileLog } from "./file-log.ts";
import { DIRECTORY_MODE, errorCode, type LogFs, NODE_FS, sessionFiles, syncDirectory, writeWhole } from "./files.ts";
import { loadLog, openLogFile } from "./load.ts";
import { takeLock } from "./lock.ts";

export interface LogOptions {
  /** Unix milliseconds. Events never go back in time, whatever it says. */
  now?: () => number;
  fs?: LogFs;
}

/**
 * Opens the log of an existing session for writing. A torn last line (never acknowledged) is cut off.
 * Throws `session_not_found`, `session_locked` (open elsewhere), `session_corrupt` (a bad line; nothing is changed) or
 * `storage_failed`.
 */
export async function openSessionLog(directory: string, { now = Date.now, fs = NODE_FS }: LogOptions = {}): Promise<SessionLog> {
  const files = sessionFiles(directory);
  const file = await openLogFile(fs, directory, files.log, "r+");
  const epoch = randomBytes(6).toString("hex");
  const lock = await takeLock(fs, files.lock, epoch, now()).catch(async (thrown: unknown) => {
    await file.close();
    throw thrown;
  });
  try {
    const loaded = await loadLog(fs, files, file);
    if (loaded.tornBytes > 0) await file.truncate(loaded.end.offset);
    // What stands here counts as flushed from now on; a process that was killed may not have come to it.
    await file.datasync();
    observeIds(loaded.draft.peek);
    return new FileLog({ directory, files, file, fs, lock, epoch, now, loaded });
  } catch (thrown) {
    await file.close().catch(() => {});
    await lock.release();
    throw thrown instanceof BeeuniError ? thrown : storageFailed(`${files.log} can't be opened`, thrown);
  }
}

/**
 * Makes the session's folder (with its parents) and its log with the one event `session.created`, all durable, and opens
 * it. Throws `storage_failed`; `invalid_request` when the folder has a log already.
 */
export async function createSessionLog(directory: string, info: SessionInfo, options: LogOptions = {}): Promise<SessionLog> {
  const { now = Date.now, fs = NODE_FS } = options;
  const files = sessionFiles(directory);
  const first: LogEvent = {
    seq: 1, at: Math.floor(now()), type: "session.created", session: info.id, format: TRANSCRIPT_FORMAT, info,
  };
  checkEvent(first);
  try {
    await fs.mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    await refuseExisting(fs, directory, files.log);
    // Whole or not at all: no crash leaves a log without its first line.
    await writeWhole(fs, files.log, `${JSON.stringify(first)}\n`);
    await syncDirectory(fs, dirname(directory));
  } catch (thrown) {
    throw thrown instanceof BeeuniError ? thrown : storageFailed(`${files.log} can't be created`, thrown);
  }
  return openSessionLog(directory, options);
}

async function refuseExisting(fs: LogFs, directory: string, path: string): Promise<void> {
  try {
    await (await fs.open(path, "r")).close();
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return;
    throw thrown;
  }
  throw new BeeuniError("invalid_request", `session ${basename(directory)} exists already (${path})`, { hint: "open it, or create one with another id" });
}

/** Ids made from now on sort after those of the log, also when the clock was set back since. */
function observeIds(tree: TreeState): void {
  for (const { turns, messages } of Object.values(tree.sessions)) {
    for (const turn of turns) observeId(turn.id);
    for (const { info, parts } of messages) {
      observeId(info.id);
      const last = parts.at(-1);
      if (last !== undefined) observeId(last.id);
    }
  }
}
