import type { Sink } from "../io.ts";

/** JSON in which characters that act on a terminal, beyond those that JSON escapes anyway, are escaped too: the same value. */
export function jsonText(value: unknown, indent?: number): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, indent).replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/** The one value of `--json`: indented for eyes on a terminal, one line for programs. */
export function writeJson(out: Sink, value: unknown): void {
  out.write(`${jsonText(value, out.isTerminal ? 2 : undefined)}\n`);
}

/** One line of `--jsonl`. */
export function writeJsonLine(out: Sink, value: unknown): void {
  out.write(`${jsonText(value)}\n`);
}
