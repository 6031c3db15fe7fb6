import { readdirSync, readFileSync } from "node:fs";

/** Signals every process of a group. False when it has none (that may be signalled); signal 0 only looks. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a process of the group runs. Dead ones that nobody has waited for still take signals (in a container the first
 * process may never wait for them), so where there is a /proc, it says which ones live.
 */
export function isGroupAlive(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  const pids = listProc().filter((name) => /^\d+$/.test(name));
  return pids.length === 0 || pids.some((pid) => isLiveMember(pid, group));
}

function listProc(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}

function isLiveMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // pid (name) state parent group …; the name may hold anything but its last bracket.
    const [state, , member] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(member) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
