import { readFile } from "node:fs/promises";

/**
 * Which process it is, across the reuse of process ids: `started` is when the kernel started it (clock ticks since boot,
 * field 22 of /proc/<pid>/stat), `boot` which boot of the machine that was. Null where there is no /proc.
 */
export interface ProcessIdentity {
  pid: number;
  started: string | null;
  boot: string | null;
}

export async function thisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, started: await startOf(process.pid), boot: await bootId() };
}

/** Whether that very process still runs. In doubt it does. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (identity.boot !== null && (await bootId()) !== identity.boot) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return identity.started === null || (await startOf(identity.pid)) === identity.started;
}

async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The second field is the name in parentheses and may hold anything, spaces and parentheses too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A killed process that its parent hasn't waited for runs no more.
  return fields[0] === "Z" ? null : (fields[22 - 3] ?? null);
}

async function bootId(): Promise<string | null> {
  const id = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => null);
  return id === null ? null : id.trim();
}
