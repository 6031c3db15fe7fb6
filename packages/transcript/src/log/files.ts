import * as nodeFs from "node:fs/promises";
import { dirname, join } from "node:path";

/** The part of node:fs/promises that a log uses. A test may pass one that fails. */
export type LogFs = Pick<typeof nodeFs, "open" | "mkdir" | "readFile" | "rename" | "link" | "unlink">;

export const NODE_FS: LogFs = nodeFs;

/** Only the user reads what was said. */
export const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;

export interface SessionFiles {
  log: string;
  lock: string;
  snapshot: string;
}

/** The files of a session's folder that belong to its log. */
export function sessionFiles(directory: string): SessionFiles {
  return { log: join(directory, "log.jsonl"), lock: join(directory, "lock"), snapshot: join(directory, "snapshot.json") };
}

/** Writes a file so that it is there whole, and on the disk, or not at all. */
export async function writeWhole(fs: LogFs, path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await fs.open(temporary, "w", FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(temporary, path);
  } catch (thrown) {
    await fs.unlink(temporary).catch(() => {});
    throw thrown;
  }
  await syncDirectory(fs, dirname(path));
}

/** Makes a new or renamed entry of the folder durable. */
export async function syncDirectory(fs: LogFs, directory: string): Promise<void> {
  const handle = await fs.open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function errorCode(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException | undefined)?.code;
}
