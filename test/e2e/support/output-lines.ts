import assert from "node:assert/strict";

/** Asserts what a command printed, line by line; in an expected line `…` stands for any text. Never a stack trace. */
export function assertLines(printed: string, expected: readonly string[]): void {
  assert.doesNotMatch(printed, /^\s+at /m);
  const lines = printed.trimEnd().split("\n");
  const fits = lines.length === expected.length && expected.every((line, at) => patternOf(line).test(lines[at]!));
  // Not equal, so that the difference is shown.
  if (!fits) assert.deepEqual(lines, expected);
}

function patternOf(line: string): RegExp {
  return new RegExp(`^${line.split("…").map((piece) => RegExp.escape(piece)).join(".*")}$`);
}
