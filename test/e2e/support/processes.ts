import { readdirSync, readFileSync } from "node:fs";

/** A process as /proc tells it. */
export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
}

/** Every process that runs; dead ones that nobody has waited for are left out. */
export function runningProcesses(): ProcessFacts[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // pid (name) state parent group …; the name may hold anything but its last bracket.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" || state === "X" ? [] : [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
    } catch {
      return [];
    }
  });
}

/** Processes of a group. */
export function membersOf(group: number): number[] {
  return runningProcesses().filter((process) => process.group === group).map(({ pid }) => pid);
}

export function childrenOf(pid: number): number[] {
  return runningProcesses().filter(({ parent }) => parent === pid).map((process) => process.pid);
}
