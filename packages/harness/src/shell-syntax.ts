/** `<<word`: the text up to the line `end`. */
export interface HereDocument {
  end: string;
  /** Nothing is expanded in it. */
  isQuoted: boolean;
  /** `<<-`: tabs in front of its lines do not count. */
  isIndented: boolean;
}

/**
 * Index behind the texts of `documents`, the first of which begins at `from`. `isPlain` is false when one of them never
 * ends, runs commands, or joins lines, so that it may end elsewhere.
 */
export function readHereDocuments(source: string, from: number, documents: readonly HereDocument[]): { end: number; isPlain: boolean } {
  let at = from;
  let isPlain = true;
  for (const { end, isQuoted, isIndented } of documents) {
    for (;;) {
      if (at >= source.length) return { end: at, isPlain: false };
      const newline = source.indexOf("\n", at);
      const line = source.slice(at, newline < 0 ? source.length : newline);
      at = newline < 0 ? source.length : newline + 1;
      if ((isIndented ? line.replace(/^\t+/, "") : line) === end) break;
      if (!isQuoted && /`|\$[([]|\$\{(?!\w+\})|\\$/.test(line)) isPlain = false;
    }
  }
  return { end: at, isPlain };
}

/** Index behind the `))` of an expression whose content begins at `from`; -1 when it could be anything but an expression. */
export function arithmeticEnd(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const char = source[at]!;
    if (char === "(" && source[at - 1] !== "$") depth++;
    else if (char === ")" && depth > 0) depth--;
    else if (char === ")") return source[at + 1] === ")" ? at + 2 : -1;
    else if (!/[\w \t+\-*/%<>=!&|^~?:,$]/.test(char)) return -1;
  }
  return -1;
}

/** Without blanks and newlines around it. Other white space belongs to a word. */
export function trimBlanks(text: string): string {
  const isBlank = (char: string | undefined): boolean => char === " " || char === "\t" || char === "\n";
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}
