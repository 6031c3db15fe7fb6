export type SplitText =
  /** No front matter: all of it is the body. */
  | { kind: "none"; body: string }
  /** `line` is the 1-based line in the file on which `yaml` begins. */
  | { kind: "found"; yaml: string; line: number; body: string }
  /** Keys after a `---` that never closes. */
  | { kind: "unterminated"; line: number };

const FENCE = /^---[ \t]*$/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/;
const EMPTY_OR_LIST = /^\s*$|^- |^[[{]/;
const KEY = /^["']?[A-Za-z_][\w-]*(?: +[\w-]+)*["']?[ \t]*:(?:[ \t]|$)/;

/**
 * Splits a Markdown file at its front matter. Blank lines may stand before it. A first `---` that is a rule of the body
 * (no keys follow it) is body.
 */
export function splitFrontMatter(text: string): SplitText {
  const lines = text.split("\n");
  const open = lines.findIndex((line) => line.trim() !== "");
  if (open < 0 || !FENCE.test(lines[open]!)) return { kind: "none", body: text };
  const close = lines.findIndex((line, index) => index > open && CLOSING.test(line));
  const inside = lines.slice(open + 1, close < 0 ? undefined : close);
  const first = inside.find((line) => line.trim() !== "") ?? "";
  if (close < 0) return KEY.test(first) ? { kind: "unterminated", line: open + 1 } : { kind: "none", body: text };
  const isData = inside.some((line) => KEY.test(line)) || inside.every((line) => EMPTY_OR_LIST.test(line));
  if (!isData) return { kind: "none", body: text };
  return { kind: "found", yaml: inside.join("\n"), line: open + 2, body: lines.slice(close + 1).join("\n") };
}
