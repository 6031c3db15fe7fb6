import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Time for what watches over a dead process's commands to end them. */
const PATIENCE_MS = 3_000;

/** Command lines of the running processes whose environment holds `NAME=value`, once they had their time to end. */
export async function processesLeft(mark: string, patience = PATIENCE_MS): Promise<string[]> {
  for (let waited = 0; ; waited += 20) {
    const left = await processesOf(mark);
    if (left.length === 0 || waited >= patience) return left;
    await wait(20);
  }
}

async function processesOf(mark: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => {
    // A dead process that nobody has waited for has no environment.
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (!environment.split("\0").includes(mark)) return [];
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return [`${pid} ${command.replaceAll("\0", " ").trim()}`];
  }));
  return found.flat();
}

/** Which of the ports somebody listens on. */
export async function listening(ports: readonly number[]): Promise<number[]> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "latin1").catch(() => "")));
  const open = new Set(tables.flatMap((table) => table.split("\n").slice(1)).flatMap((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/);
    return state === "0A" ? [Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16)] : [];
  }));
  return ports.filter((port) => open.has(port));
}

/** Locks and half-written files below the folder. */
export async function litter(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => /(?:^|\/)lock(?:\.|$)|\.tmp$|\.new$/.test(name)).map((name) => join(folder, name));
}
