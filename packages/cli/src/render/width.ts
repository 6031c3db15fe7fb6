import { createRequire } from "node:module";

/** Text that is known to take one column a character. */
const NARROW = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2190-\u2211\u2500-\u25fc]*$/;

const require = createRequire(import.meta.url);
let stringWidth: ((text: string) => number) | undefined;

/** Columns that `text` (one line, no escape sequences) takes on a terminal. */
export function width(text: string): number {
  if (NARROW.test(text)) return text.length;
  // Loaded on first need, because its tables take longer to load than a small command runs.
  // string-width: how many columns a terminal gives to wide characters, emoji and marks.
  stringWidth ??= (require("string-width") as { default: (text: string) => number }).default;
  return stringWidth(text);
}

/** `text` cut to `columns` with `…` in the last one. Never cuts a character that a reader sees as one. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return "";
  if (text.length <= columns && NARROW.test(text)) return text;
  if (text.length < 4096 && width(text) <= columns) return text;
  let taken = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, columns * 16))) {
    const size = width(segment);
    if (used + size > columns - 1) break;
    taken += segment;
    used += size;
  }
  return `${taken}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - width(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - width(text))) + text;
}

/** Lines of at most `columns`, broken at spaces; a longer word stands alone on its line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && width(line) + 1 + width(word) > columns) {
        lines.push(line);
        line = word;
      } else {
        line = line === "" ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
  }
  return lines;
}
