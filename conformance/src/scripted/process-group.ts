import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";

export interface CommandResult { output: string; exitCode: number | null; aborted: boolean }

/** How long a stopped command may take to end by itself before it is killed. Milliseconds. */
const GRACE = 100;

/**
 * Runs a shell command as the leader of its own process group. A stop ends the whole group, also one that ignores
 * SIGTERM; the promise resolves when no process of the group is left. The death of this process ends it too.
 */
export async function runCommand(
  command: string,
  options: { cwd: string; env: { [name: string]: string }; signal: AbortSignal; onOutput?: (output: string) => void },
): Promise<CommandResult> {
  const child = spawn("/bin/sh", ["-c", command], { cwd: options.cwd, env: options.env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      options.onOutput?.(output);
    });
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  const group = child.pid;
  const lifeline = group === undefined ? null : guard(group, options.env);
  let stopped: Promise<void> | undefined;
  const stop = (): void => {
    if (group !== undefined) stopped ??= endGroup(group);
  };
  options.signal.addEventListener("abort", stop, { once: true });
  if (options.signal.aborted) stop();
  try {
    const exitCode = await ended;
    // A command may leave processes behind that hold no pipe of ours: a stop takes those with it.
    await stopped;
    return { output, exitCode, aborted: options.signal.aborted };
  } finally {
    lifeline?.end("over\n");
    options.signal.removeEventListener("abort", stop);
  }
}

/** A process that kills the group when its input ends without a line: whoever should have written one is dead. */
function guard(group: number, env: { [name: string]: string }): Writable {
  const script = 'trap "" INT TERM HUP; read -r _ || kill -s KILL -- "-$1"';
  const waits = spawn("/bin/sh", ["-c", script, "guard", String(group)], { detached: true, env, stdio: ["pipe", "ignore", "ignore"] });
  waits.on("error", () => {});
  waits.stdin.on("error", () => {});
  return waits.stdin;
}

async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  for (let waited = 0; waited < GRACE; waited += 5) {
    await wait(5);
    if (!signalGroup(group, 0)) return;
  }
  // Nothing survives this; but where nobody reaps orphans, a dead group stays visible as zombies, so the wait is short.
  for (let tries = 0; tries < 10 && signalGroup(group, "SIGKILL"); tries++) await wait(5);
}

/** False when the group is gone. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}
