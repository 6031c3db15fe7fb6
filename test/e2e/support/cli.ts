import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Place } from "./place.ts";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const ENTRY = `${ROOT}packages/cli/bin/beeuni.mjs`;

export interface CliOptions {
  stdin?: string | Uint8Array;
  env?: { readonly [name: string]: string };
  /** Default: the project's folder. */
  cwd?: string;
  /** Words in front of the command, e.g. `unshare -n --`. */
  through?: readonly string[];
}

export interface CliResult {
  /** null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  bytes: Buffer;
}

/** A `beeuni` process that runs. */
export class Cli {
  readonly process: ChildProcess;
  readonly done: Promise<CliResult>;
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(place: Place, words: readonly string[], { stdin, env, cwd, through = [] }: CliOptions = {}) {
    const [program = "", ...rest] = [...through, process.execPath, ENTRY, ...words];
    const child = spawn(program, rest, { cwd: cwd ?? place.project, env: place.environment(env), stdio: ["pipe", "pipe", "pipe"] });
    this.process = child;
    for (const [stream, chunks] of [[child.stdout, this.#out], [child.stderr, this.#err]] as const) {
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        for (const wake of [...this.#waiting]) wake();
      });
    }
    // A process that does not read its input closes it.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    this.done = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr, bytes: Buffer.concat(this.#out) });
        for (const wake of [...this.#waiting]) wake();
      });
    });
  }

  get stdout(): string {
    return Buffer.concat(this.#out).toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#err).toString();
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Resolves when the output so far is as wanted; rejects when the process ends without. */
  async until(is: (cli: this) => boolean): Promise<void> {
    while (!is(this)) {
      if (this.process.exitCode !== null || this.process.signalCode !== null) throw new Error(`beeuni ended too early:\n${this.stdout}\n${this.stderr}`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
    await this.done;
  }
}

/** Runs `beeuni` with these words to its end. */
export async function beeuni(place: Place, words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return await new Cli(place, words, options).done;
}

/** The value of a `--json` command that must succeed. */
export async function beeuniJson<T>(place: Place, words: readonly string[], options: CliOptions = {}): Promise<T> {
  const { code, stdout, stderr } = await beeuni(place, [...words, "--json"], options);
  if (code !== 0) throw new Error(`beeuni ${words.join(" ")} ended with ${code}:\n${stderr}`);
  return JSON.parse(stdout) as T;
}
