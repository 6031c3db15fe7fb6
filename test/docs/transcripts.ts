/**
 * Console transcripts in a Markdown page: fenced blocks with the info string `console`. A line that begins with `$ ` is a
 * command; the lines up to the next command are what it prints (both streams). Pages show what was really printed: ids,
 * numbers, times, paths and column widths may differ from run to run and are made equal before comparing. In expected
 * lines `…` stands for any text, and a line that is only `…` for any lines. A block marked `console norun` is not run.
 */
export interface Step {
  line: number;
  command: string;
  expected: string[];
}

export function readTranscripts(markdown: string): Step[] {
  const steps: Step[] = [];
  let inside = false;
  let current: Step | undefined;
  markdown.split("\n").forEach((text, index) => {
    if (text.startsWith("```")) {
      inside = !inside && /^```console\s*$/.test(text);
      current = undefined;
      return;
    }
    if (!inside) return;
    if (text.startsWith("$ ")) {
      current = { line: index + 1, command: text.slice(2), expected: [] };
      steps.push(current);
    } else if (current !== undefined && text.trim() !== "") {
      current.expected.push(text.trimEnd());
    }
  });
  return steps;
}

/** What may differ between two runs, made equal. */
function normalise(line: string): string {
  return line
    .replace(/\b(ses|trn|msg|prt|per|que|cal)_[0-9A-Za-z]{26}\b/g, "$1_#")
    .replace(/\b[0-9a-f]{64}\b/g, "sha256")
    .replace(/(?<![\w.])(?:\/[\w.@+-]+){2,}/g, "/path")
    .replace(/\(user \w+\)/g, "(user me)")
    .replace(/\d[\d.,]*/g, "0")
    .replace(/\b0(?:ms|s)\b/g, "0s")
    .replace(/\b0 (?:B|kB|MB|GB)\b/g, "0 B")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** The first expected line that `output` does not have in its place, or undefined when all are there in order. */
export function firstMissing(expected: readonly string[], output: string): string | undefined {
  const lines = output.split("\n").map(normalise).filter((line) => line !== "");
  let at = 0;
  let gap = false;
  for (const want of expected) {
    if (want === "…") {
      gap = true;
      continue;
    }
    const pattern = new RegExp(`^${normalise(want).split("…").map(RegExp.escape).join(".*")}$`);
    if (gap) {
      while (at < lines.length && !pattern.test(lines[at]!)) at++;
      gap = false;
    }
    if (at >= lines.length || !pattern.test(lines[at]!)) return want;
    at++;
  }
  if (!gap && at < lines.length) return `(nothing more, but it printed: ${lines[at]})`;
  return undefined;
}
