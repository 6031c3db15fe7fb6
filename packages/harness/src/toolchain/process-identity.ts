import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Names a process so that it can be told dead later: a pid alone is used again. Safe in a file name. The parts: pid, start
 * time (of /proc; `0` where there is none), and where the pid counts (pid namespace, else the machine).
 */
export function ownIdentity(): string {
  return `${process.pid}-${startTime(process.pid) ?? "0"}-${scope()}`;
}

/** Whether the process is certainly gone. False when it runs, and when it can't be known (another machine or namespace). */
export function isDead(identity: string): boolean {
  const match = /^(\d+)-(\d+)-(.+)$/.exec(identity);
  if (match === null) return true;
  const [, pid, started, where] = match as unknown as [string, string, string, string];
  if (where !== scope()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
  const now = startTime(Number(pid));
  return started !== "0" && now !== null && now !== started;
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold anything, so count from its last parenthesis. */
function startTime(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function scope(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return hostname().replace(/[^A-Za-z0-9]/g, "");
  }
}
