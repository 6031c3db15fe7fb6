import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { findBash } from "./find-bash.ts";
import { isGroupAlive, signalGroup } from "./group-state.ts";

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
  /** What runs the command line, with `-c`. */
  shell: string;
  cwd: string;
  /** Complete. */
  env: { readonly [name: string]: string };
  onOutput: (chunk: Buffer) => void;
}

/**
 * A shell command in a process group of its own. It may leave processes behind (a server started with `&`): those stay in
 * the group and are ended by `stop`. A process that left the group (`setsid`) is out of reach here.
 */
export interface ProcessGroup {
  /** Resolves when the command has ended and its output is read. Rejects when it can't be started. */
  readonly exit: Promise<GroupExit>;
  /** Whether a process of the group still runs. */
  isAlive(): boolean;
  /** SIGTERM to the whole group, then SIGKILL. Resolves when no process of it is left, within about a second. */
  stop(): Promise<void>;
  /** Lets what still runs of it live on after this process. */
  release(): void;
}

/**
 * Both outputs go into one pipe, so that they come in the order in which they were written. Beside the command waits a
 * guard in a group of its own: when its pipe closes without a line, this process is gone, and it kills the command's group.
 */
const GUARDED = `exec 2>&1
set -m
(trap "" INT TERM HUP; read -r _ <&3 || kill -KILL -- -$$) </dev/null >/dev/null 2>&1 &
set +m
exec 3<&-
exec "$1" -c "$2"`;
/** Only bash gives the guard its own group without a terminal. */
const PLAIN = `exec 2>&1 3<&-
exec "$1" -c "$2"`;

export function startGroup(command: string, { shell, cwd, env, onOutput }: GroupOptions): ProcessGroup {
  const bash = findBash(env["PATH"]);
  const child = spawn(bash ?? "/bin/sh", ["-c", bash === null ? PLAIN : GUARDED, "bash", shell, command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const outputs = [child.stdout, child.stderr] as Readable[];
  const lifeline = child.stdio[3] as Writable;
  let isReading = true;
  for (const stream of [...outputs, lifeline]) {
    stream.on("error", () => {});
    // None of them may keep this process running.
    (stream as unknown as { unref?: () => void }).unref?.();
  }
  // Read on after the command's end: a process left behind must not die of a closed pipe.
  for (const stream of outputs) stream.on("data", (chunk: Buffer) => { if (isReading) onOutput(chunk); });
  const closed = Promise.all(outputs.map((stream) => once(stream, "close")));
  const exit = (async (): Promise<GroupExit> => {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    const drained = new AbortController();
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { signal: drained.signal }).catch(() => {})]);
    drained.abort();
    isReading = false;
    return { code, signal };
  })();
  exit.catch(() => {});
  const group = child.pid;
  const release = (): void => void lifeline.end("\n");
  return {
    exit,
    isAlive: () => group !== undefined && isGroupAlive(group),
    release,
    async stop() {
      if (group !== undefined && signalGroup(group, "SIGTERM") && !(await isGone(group, TERM_GRACE_MS))) {
        signalGroup(group, "SIGKILL");
        await isGone(group, KILL_WAIT_MS);
      }
      release();
    },
  };
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (let pause = 5; performance.now() < end; pause = Math.min(2 * pause, 40)) {
    if (!isGroupAlive(group)) return true;
    await sleep(pause);
  }
  return !isGroupAlive(group);
}
