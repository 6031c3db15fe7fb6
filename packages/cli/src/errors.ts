import { type BeeuniError, toBeeuniError } from "@beeuni/protocol/errors";
import type { Io } from "./io.ts";
import { jsonText } from "./render/json.ts";

/**
 * Prints what was thrown and gives the exit code. Text: `error: …` and `hint: …`; with --json the body
 * `{code, error, hint?}` in one line. Both on stderr, so that stdout holds answers only. A stack trace is printed
 * only under BEEUNI_DEBUG.
 */
export function reportError(thrown: unknown, io: Pick<Io, "stderr" | "env">, json: boolean): number {
  const error = toBeeuniError(thrown);
  const { red, bold, dim } = io.stderr.colours;
  if (json) {
    io.stderr.write(`${jsonText(error.toBody())}\n`);
  } else {
    io.stderr.write(`${bold(red("error:"))} ${error.message}\n`);
    const hint = error.hint ?? (error.code === "internal" ? internalHint(io) : undefined);
    if (hint !== undefined) io.stderr.write(`${bold("hint:")} ${hint}\n`);
  }
  if (io.env["BEEUNI_DEBUG"]) io.stderr.write(dim(`${stackOf(error)}\n`));
  return error.exitCode;
}

function internalHint(io: Pick<Io, "env">): string | undefined {
  return io.env["BEEUNI_DEBUG"] ? undefined : "this is a fault of beeuni; run it again with BEEUNI_DEBUG=1 to see where";
}

function stackOf(error: BeeuniError): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : "";
  return `${error.stack}${cause}`;
}
