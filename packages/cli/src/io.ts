import type { Readable } from "node:stream";
import { BeeuniError } from "@beeuni/protocol/errors";
// picocolors: one small file; the rules of when to colour are ours (below), so only its `createColors` is used.
import picocolors from "picocolors";
import { terminalText } from "./render/plain.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type Colours = ReturnType<typeof picocolors.createColors>;

/** Where output goes: a terminal, a pipe, a file, or a test's string. */
export interface Sink {
  write(chunk: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** Columns that a line may take. Infinity where lines are for programs (a pipe without COLUMNS). */
  readonly columns: number;
  readonly colours: Colours;
  /** Resolves when what was written has left the process, or never can: then with what went wrong, unless the reader left. */
  drained(): Promise<NodeJS.ErrnoException | undefined>;
}

/** Everything a command may touch of its process; tests pass their own. */
export interface Io {
  stdout: Sink;
  stderr: Sink;
  stdin: Readable & { isTTY?: boolean };
  env: Environment;
  cwd: string;
  /** Aborted when nobody reads stdout any more. */
  outputGone: AbortSignal;
}

/** NO_COLOR wins over FORCE_COLOR wins over what the stream is. */
export function wantsColour(env: Environment, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

export function columnsOf(env: Environment, stream: { isTTY?: boolean; columns?: number }): number {
  const asked = Number(env["COLUMNS"]);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return stream.isTTY ? (stream.columns ?? 80) : Infinity;
}

/** A stream of the process. Text that goes to a terminal is made safe for it; bytes, and what goes elsewhere, stay as they are. */
export function sinkOf(stream: NodeJS.WriteStream, env: Environment, gone: AbortController): Sink {
  const shown = (chunk: string | Uint8Array): string | Uint8Array => (stream.isTTY && typeof chunk === "string" ? terminalText(chunk) : chunk);
  let broken = false;
  let lost: NodeJS.ErrnoException | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    broken = true;
    // The reader (`| head -1`) has left, which is its right. With anything else (a full disk) output is lost.
    if (error.code !== "EPIPE") lost ??= error;
    gone.abort();
  });
  return {
    write: (chunk) => void (broken || stream.write(shown(chunk))),
    isTerminal: stream.isTTY === true,
    get columns() {
      return columnsOf(env, stream);
    },
    colours: picocolors.createColors(wantsColour(env, stream.isTTY === true)),
    drained: () =>
      new Promise((resolve) => {
        // A failed write is told one turn of the loop later.
        const end = (): void => void setImmediate(() => resolve(lost));
        if (broken || stream.writableLength === 0) end();
        else stream.write("", end);
      }),
  };
}

export function processIo(): Io {
  const gone = new AbortController();
  return {
    stdout: sinkOf(process.stdout, process.env, gone),
    // A closed stderr must not stop the work: its reader has only left the progress.
    stderr: sinkOf(process.stderr, process.env, new AbortController()),
    // Opened only when a command reads it.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    // Asked for by commands that start from it.
    get cwd() {
      return workingDirectory();
    },
    outputGone: gone.signal,
  };
}

/** Throws `not_found` when the folder was removed under the shell. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new BeeuniError("not_found", "the current folder was removed", { hint: "go to one that exists, e.g.: cd ~", cause });
  }
}
