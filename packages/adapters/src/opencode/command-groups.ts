import { readdir, readFile, rm } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface CommandGroup {
  /** Process group, which is the id of the shell that leads it. */
  id: number;
  /** OpenCode's id of the call that it runs for. */
  call: string;
}

const WAIT_MS = 1_000;

/**
 * The process groups of the agent's commands: each shell leaves a file with its process id as the name and its call's id in
 * it. A command may leave processes behind, which run on until the session closes.
 */
export class CommandGroups {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Kills the groups of these calls. Resolves when no process of theirs is left. */
  async kill(calls: readonly string[]): Promise<void> {
    await this.#kill((await this.#groups()).filter(({ call }) => calls.includes(call)));
  }

  /** Kills what is left of all commands. */
  async killAll(): Promise<void> {
    await this.#kill(await this.#groups());
  }

  /** Forgets the groups that have ended: their numbers may become somebody else's. */
  async sweep(): Promise<void> {
    await Promise.all((await this.#groups()).filter(({ id }) => !isAlive(id)).map(({ id }) => this.#forget(id)));
  }

  async #kill(groups: readonly CommandGroup[]): Promise<void> {
    await Promise.all(groups.map(async ({ id }) => {
      const end = performance.now() + WAIT_MS;
      while (signal(id, "SIGKILL") && isAlive(id) && performance.now() < end) await sleep(10);
      await this.#forget(id);
    }));
  }

  async #groups(): Promise<CommandGroup[]> {
    const names = (await readdir(this.#folder).catch(() => [] as string[])).filter((name) => /^[1-9]\d*$/.test(name));
    return await Promise.all(names.map(async (name) => ({ id: Number(name), call: (await readFile(join(this.#folder, name), "utf8").catch(() => "")).trim() })));
  }

  async #forget(id: number): Promise<void> {
    await rm(join(this.#folder, String(id)), { force: true });
  }
}

function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, name);
    return true;
  } catch {
    return false;
  }
}

/** Processes that have ended and that nobody has waited for still take signals: where there is a /proc, it tells. */
function isAlive(group: number): boolean {
  if (!signal(group, 0)) return false;
  let pids: string[];
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return true;
  }
  return pids.some((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // pid (name) state parent group …; the name may hold anything but its last bracket.
      const [state, , member] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(member) === group && state !== "Z" && state !== "X";
    } catch {
      return false;
    }
  });
}
