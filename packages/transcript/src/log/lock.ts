import { BeeuniError } from "@beeuni/protocol";
import { randomBytes } from "node:crypto";
import { basename, dirname } from "node:path";
import { storageFailed } from "./errors.ts";
import { errorCode, FILE_MODE, type LogFs } from "./files.ts";
import { isRunning, type ProcessIdentity, thisProcess } from "./process-identity.ts";

/** What a lock file says: who holds it, under which name, since when (unix milliseconds). */
interface LockOwner extends ProcessIdentity {
  epoch: string;
  since: number;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock file `path` for this process, or throws `session_locked` naming who holds it. The file appears whole (a
 * hard link to a written file), so a reader never sees half of it.
 *
 * A lock whose process is gone is taken over. Of several that try, one wins: each first takes a lock that is named after
 * the dead owner's epoch, then looks again whether the dead owner's file is still there, and only then replaces it. That
 * second lock follows the same rules, should its owner die in between.
 */
export async function takeLock(fs: LogFs, path: string, epoch: string, now: number): Promise<Lock> {
  const owner: LockOwner = { ...(await thisProcess()), epoch, since: now };
  const draft = `${path}.${epoch}.tmp`;
  try {
    const file = await fs.open(draft, "wx", FILE_MODE);
    try {
      await file.writeFile(`${JSON.stringify(owner)}\n`);
    } finally {
      await file.close();
    }
    for (;;) {
      if (await appears(fs, draft, path)) return { release: () => release(fs, path, epoch) };
      const holder = await readOwner(fs, path);
      if (holder === "gone") continue;
      if (holder !== "unreadable" && (await isRunning(holder))) throw locked(path, holder);
      if (await takeOver(fs, path, draft, holder, now)) return { release: () => release(fs, path, epoch) };
    }
  } catch (thrown) {
    throw thrown instanceof BeeuniError ? thrown : storageFailed(`${path} can't be written`, thrown);
  } finally {
    await fs.unlink(draft).catch(() => {});
  }
}

/** Who holds the lock file at this moment: null when nobody does, or its process is gone. Takes nothing. */
export async function lockHolder(fs: LogFs, path: string): Promise<{ pid: number; since: number } | null> {
  const owner = await readOwner(fs, path);
  return typeof owner === "object" && (await isRunning(owner)) ? { pid: owner.pid, since: owner.since } : null;
}

async function appears(fs: LogFs, draft: string, path: string): Promise<boolean> {
  try {
    await fs.link(draft, path);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/** Replaces the dead owner's file. False when somebody else did, or the owner is another by now: look again. */
async function takeOver(fs: LogFs, path: string, draft: string, dead: LockOwner | "unreadable", now: number): Promise<boolean> {
  const name = dead === "unreadable" ? "unreadable" : dead.epoch;
  const guard = await takeLock(fs, `${path}.over.${name}`, randomBytes(6).toString("hex"), now);
  const copy = `${draft}.over`;
  try {
    const holder = await readOwner(fs, path);
    if (holder === "gone" || (holder === "unreadable" ? "unreadable" : holder.epoch) !== name) return false;
    await fs.link(draft, copy);
    await fs.rename(copy, path);
    return true;
  } finally {
    await fs.unlink(copy).catch(() => {});
    await guard.release();
  }
}

async function release(fs: LogFs, path: string, epoch: string): Promise<void> {
  const holder = await readOwner(fs, path).catch(() => "gone" as const);
  if (typeof holder === "object" && holder.epoch === epoch) await fs.unlink(path).catch(() => {});
}

async function readOwner(fs: LogFs, path: string): Promise<LockOwner | "gone" | "unreadable"> {
  let text: string;
  try {
    text = await fs.readFile(path, "utf8");
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return "gone";
    throw thrown;
  }
  try {
    const owner = JSON.parse(text) as LockOwner;
    if (Number.isInteger(owner.pid) && /^[0-9A-Za-z]+$/.test(owner.epoch) && typeof owner.since === "number") return owner;
  } catch {
    // A machine that lost power may leave the file empty.
  }
  return "unreadable";
}

function locked(path: string, { pid, since }: LockOwner): BeeuniError {
  const holder = pid === process.pid ? `this process (pid ${pid})` : `process ${pid}`;
  return new BeeuniError("session_locked", `session ${basename(dirname(path))} is open in ${holder} since ${new Date(since).toISOString()}`, {
    hint: `use it there (beeuni session ls), or end process ${pid} first`,
  });
}
