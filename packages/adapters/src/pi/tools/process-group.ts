import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A group that ignores SIGTERM is killed after this long. */
const TERM_GRACE_MS = 250;
const KILL_WAIT_MS = 700;
/** How long output may still come after the command itself has ended. */
const DRAIN_MS = 100;

export interface GroupExit {
  /** null when a signal ended the command. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface GroupOptions {
  cwd: string;
  env: { readonly [name: string]: string };
  onOutput: (chunk: Buffer) => void;
}

/**
 * The command's own process group. Commands may leave processes behind (a server started with `&`): those stay in the
 * group and are ended by `stop`. A process that left the group (`setsid`) is out of reach here.
 */
export interface ProcessGroup {
  /** Resolves when the command has ended and its output is read. Rejects when it can't be started. */
  readonly exit: Promise<GroupExit>;
  /** Whether a process of the group still runs. */
  isAlive(): boolean;
  /** SIGTERM to the whole group, then SIGKILL. Resolves when no process of it is left, within about a second. */
  stop(): Promise<void>;
}

export function startGroup(file: string, args: readonly string[], { cwd, env, onOutput }: GroupOptions): ProcessGroup {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let isReading = true;
  for (const stream of [child.stdout, child.stderr]) {
    // Read on after the command's end: a process left behind must not die of a closed pipe.
    stream.on("data", (chunk: Buffer) => { if (isReading) onOutput(chunk); });
    stream.on("error", () => {});
  }
  const exit = new Promise<GroupExit>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const drained = setTimeout(() => finish(), DRAIN_MS);
      child.once("close", () => finish());
      function finish(): void {
        clearTimeout(drained);
        isReading = false;
        // What still holds the pipe must not keep this process running.
        for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref?: () => void }).unref?.();
        resolve({ code, signal });
      }
    });
  });
  exit.catch(() => {});
  const group = child.pid;
  return {
    exit,
    isAlive: () => group !== undefined && isAlive(group),
    async stop() {
      if (group === undefined || !signalGroup(group, "SIGTERM")) return;
      if (await isGone(group, TERM_GRACE_MS)) return;
      signalGroup(group, "SIGKILL");
      await isGone(group, KILL_WAIT_MS);
    },
  };
}

/** False when the group has no process (that may be signalled). */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (let pause = 5; performance.now() < end; pause = Math.min(2 * pause, 40)) {
    if (!isAlive(group)) return true;
    await sleep(pause);
  }
  return !isAlive(group);
}

/**
 * Dead processes that nobody has waited for still take signals (in a container the first process may never wait for them),
 * so where there is a /proc, it says which ones live.
 */
function isAlive(group: number): boolean {
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

/** The groups that a session's commands left running; the session ends them when it closes. */
export class LeftBehind {
  readonly #groups = new Set<ProcessGroup>();

  add(group: ProcessGroup): void {
    // A number that is free again may belong to somebody else: forget groups as soon as they are seen empty.
    for (const known of this.#groups) if (!known.isAlive()) this.#groups.delete(known);
    if (group.isAlive()) this.#groups.add(group);
  }

  async stopAll(): Promise<void> {
    const groups = [...this.#groups];
    this.#groups.clear();
    await Promise.all(groups.map((group) => group.stop()));
  }
}
