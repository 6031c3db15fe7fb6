import { relative } from "node:path";
import { MAX_BYTES, MAX_LINES } from "../limits.ts";
import { filePattern } from "./file-pattern.ts";
import { shownPath } from "./shown-path.ts";
import { walkFiles } from "./walk.ts";

export interface FindRequest {
  kind: "find";
  workspace: string;
  root: string;
  pattern: string;
}

export interface SearchAnswer {
  output: string;
  /** Files found, or lines that match. */
  count: number;
  truncated: boolean;
}

/** The files that match, one per line, sorted by path. */
export async function findFiles({ workspace, root, pattern }: FindRequest): Promise<SearchAnswer> {
  const matches = filePattern(pattern, root);
  const found: string[] = [];
  let bytes = 0;
  for await (const file of walkFiles(root, workspace)) {
    if (!matches(relative(root, file))) continue;
    const shown = shownPath(workspace, file);
    bytes += Buffer.byteLength(shown) + 1;
    if (found.length === MAX_LINES || bytes > MAX_BYTES) {
      return { output: `${found.join("\n")}\n[There are more. Narrow the pattern or the path.]`, count: found.length, truncated: true };
    }
    found.push(shown);
  }
  return { output: found.length === 0 ? "No files found" : found.join("\n"), count: found.length, truncated: false };
}
