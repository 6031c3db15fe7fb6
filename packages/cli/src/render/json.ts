import type { Sink } from "../io.ts";

/** The one value of `--json`: indented for eyes on a terminal, one line for programs. */
export function writeJson(out: Sink, value: unknown): void {
  out.write(`${JSON.stringify(value, null, out.isTerminal ? 2 : undefined)}\n`);
}

/** One line of `--jsonl`. */
export function writeJsonLine(out: Sink, value: unknown): void {
  out.write(`${JSON.stringify(value)}\n`);
}
