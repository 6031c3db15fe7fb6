import { BeeuniError } from "@beeuni/protocol/errors";
import { reportError } from "./errors.ts";
import { type Io, processIo } from "./io.ts";
import { type Invocation, parse } from "./parse.ts";

/** A command: parses its own options, calls, renders, and gives the exit code. Problems are thrown as BeeuniErrors. */
export type RunCommand = (invocation: Invocation, io: Io) => Promise<number>;

/** Runs one command line against `io` and gives the exit code. Never throws. */
export async function execute(words: readonly string[], io: Io): Promise<number> {
  const json = wantsJson(words);
  try {
    const parsed = parse(words, io.stdout);
    if (parsed.kind === "help") {
      io.stdout.write(parsed.text);
      return 0;
    }
    const { path } = parsed.invocation.command;
    const module = (await import(`./commands/${path.join("/")}.ts`)) as { default: RunCommand };
    return await module.default(parsed.invocation, io);
  } catch (thrown) {
    return reportError(thrown, io, json);
  }
}

function wantsJson(words: readonly string[]): boolean {
  return words.includes("--json") || words.includes("--jsonl");
}

/** The process: runs the words, waits until the output has left, and ends. */
export async function main(words: readonly string[]): Promise<void> {
  const io = processIo();
  // A fault outside of anything that is awaited: said like every other error, and the end.
  const fault = (thrown: unknown): never => process.exit(reportError(thrown, io, wantsJson(words)));
  process.on("uncaughtException", fault);
  process.on("unhandledRejection", fault);
  let code = await execute(words, io);
  const lost = await io.stdout.drained();
  if (lost !== undefined) code = reportError(outputLost(lost), io, wantsJson(words));
  await io.stderr.drained();
  process.exit(code);
}

function outputLost(cause: NodeJS.ErrnoException): BeeuniError {
  const why = cause.code === "ENOSPC" ? "there is no space left" : cause.message;
  return new BeeuniError("storage_failed", `the output could not be written: ${why}`, { hint: "send it elsewhere; what a session said is kept: beeuni session messages", cause });
}
