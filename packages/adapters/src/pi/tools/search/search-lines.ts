import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { MAX_BYTES, MAX_LINES } from "../limits.ts";
import { readRegularFile } from "../regular-file.ts";
import { expressionOf } from "./expression.ts";
import { filePattern } from "./file-pattern.ts";
import type { SearchAnswer } from "./find-files.ts";
import { shownPath } from "./shown-path.ts";
import { walkFiles } from "./walk.ts";

export interface LineRequest {
  kind: "lines";
  workspace: string;
  /** A folder or one file. */
  root: string;
  pattern: string;
  glob: string | null;
  ignoreCase: boolean;
  literal: boolean;
  /** Lines to show around each match. */
  context: number;
}

const MAX_LINE_CHARS = 500;
const MAX_FILE_BYTES = 20 * 1_024 * 1_024;

/** The matching lines as `path:number: line`, with context lines as `path-number- line`; files sorted by path. */
export async function searchLines(request: LineRequest): Promise<SearchAnswer> {
  const { workspace, root } = request;
  const expression = expressionOf(request.pattern, request);
  const wanted = request.glob === null ? () => true : filePattern(request.glob, root);
  const isFile = !(await stat(root)).isDirectory();
  const tooLarge: string[] = [];
  const output: string[] = [];
  let bytes = 0;
  let count = 0;
  for await (const file of isFile ? [root] : walkFiles(root, workspace)) {
    if (!isFile && !wanted(relative(root, file))) continue;
    const shown = shownPath(workspace, file);
    const lines = await linesOf(file);
    if (lines === "too large") tooLarge.push(shown);
    if (typeof lines === "string") continue;
    for (const { text, isMatch } of matchesIn(lines, expression, request.context, shown)) {
      bytes += Buffer.byteLength(text) + 1;
      if (output.length === MAX_LINES || bytes > MAX_BYTES) {
        return { output: `${output.join("\n")}\n[There are more. Narrow the pattern, the path or the glob.]`, count, truncated: true };
      }
      output.push(text);
      if (isMatch) count++;
    }
  }
  if (count === 0) output.push("No matches found");
  if (tooLarge.length > 0) output.push(`[Not searched, too large: ${tooLarge.slice(0, 10).join(", ")}${tooLarge.length > 10 ? " …" : ""}]`);
  return { output: output.join("\n"), count, truncated: false };
}

function* matchesIn(lines: readonly string[], expression: RegExp, context: number, shown: string): Generator<{ text: string; isMatch: boolean }> {
  let next = 0;
  for (let index = 0; index < lines.length; index++) {
    if (!expression.test(lines[index]!)) continue;
    const from = Math.max(next, index - context);
    if (context > 0 && next > 0 && from > next) yield { text: "--", isMatch: false };
    for (let before = from; before < index; before++) yield { text: `${shown}-${before + 1}- ${shorten(lines[before]!)}`, isMatch: false };
    yield { text: `${shown}:${index + 1}: ${shorten(lines[index]!)}`, isMatch: true };
    next = index + 1;
    for (const end = Math.min(lines.length, index + 1 + context); next < end && !expression.test(lines[next]!); next++) {
      yield { text: `${shown}-${next + 1}- ${shorten(lines[next]!)}`, isMatch: false };
    }
  }
}

async function linesOf(file: string): Promise<string[] | "too large" | "binary" | "unreadable"> {
  try {
    const read = await readRegularFile(file, MAX_FILE_BYTES);
    if (read.kind === "too large") return "too large";
    if (read.kind !== "content") return "unreadable";
    const { content } = read;
    if (content.subarray(0, 8_192).includes(0)) return "binary";
    const lines = content.toString().split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    return lines;
  } catch {
    return "unreadable";
  }
}

function shorten(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)} […]` : line;
}
