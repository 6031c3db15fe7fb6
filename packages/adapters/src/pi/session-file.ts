import { readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";

/** What is known of a session's own file before Pi opens it. */
export type SessionFileState =
  | { state: "missing" }
  | { state: "unreadable"; file: string; why: string }
  /** `tornBytes`: the unfinished last line that a killed process left, now cut off. */
  | { state: "ready"; file: string; tornBytes: number };

/** Finds the file of a session id in the folder and makes sure that it ends with a whole line. */
export async function inspectSessionFile(folder: string, nativeId: string): Promise<SessionFileState> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((candidate) => candidate.endsWith(`_${nativeId}.jsonl`));
  if (name === undefined) return { state: "missing" };
  const file = join(folder, name);
  const content = await readFile(file).catch((error: unknown) => (error as Error).message);
  if (typeof content === "string") return { state: "unreadable", file, why: content };
  const whole = wholeLines(content);
  const first = content.subarray(0, content.indexOf("\n") + 1).toString();
  if (!isHeader(first, nativeId)) return { state: "unreadable", file, why: "its first line is not the session's header" };
  if (whole < content.length) await truncate(file, whole);
  return { state: "ready", file, tornBytes: content.length - whole };
}

/** Bytes up to the end of the last line that is whole: it ends with a newline and is JSON. */
export function wholeLines(content: Buffer): number {
  let end = content.lastIndexOf("\n") + 1;
  while (end > 0) {
    const start = content.lastIndexOf("\n", end - 2) + 1;
    if (isJson(content.subarray(start, end).toString())) return end;
    end = start;
  }
  return 0;
}

function isHeader(line: string, nativeId: string): boolean {
  try {
    const { type, id } = JSON.parse(line) as { type?: unknown; id?: unknown };
    return type === "session" && id === nativeId;
  } catch {
    return false;
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
