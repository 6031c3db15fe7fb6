import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isDead, ownIdentity } from "./process-identity.ts";

const POLL_MS = 200;

/**
 * Waits until no other living process holds the lock file, then holds it. It saves a second download; what is installed
 * stays right without it, since a finished toolchain is put in place by one rename. Rejects with the signal's reason.
 */
export async function holdInstallLock(path: string, { onWait, signal }: { onWait: () => void; signal?: AbortSignal | undefined }): Promise<AsyncDisposable> {
  const mine = `${path}.${ownIdentity()}.${randomBytes(4).toString("hex")}`;
  await writeFile(mine, ownIdentity(), { flag: "wx", mode: 0o600 });
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (await linked(mine, path)) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
      const holder = await readFile(path, "utf8").catch(() => null);
      if (holder === null) continue;
      if (isDead(holder)) await removeStale(path, `${mine}.stale`);
      else {
        onWait();
        await delay(POLL_MS, undefined, { ...(signal === undefined ? {} : { signal }) });
      }
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/** The lock with its holder's name in it appears at once, or it was there already. */
async function linked(mine: string, path: string): Promise<boolean> {
  try {
    await link(mine, path);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

async function removeStale(path: string, aside: string): Promise<void> {
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
}
