import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Issue, RulesFile } from "@beeuni/protocol";
import { decodeText } from "./decode-text.ts";
import type { FileRead, ProjectReader } from "./project-reader.ts";

const CANDIDATES = ["AGENTS.md", "CLAUDE.md"];

/**
 * The rules file of the project's root: AGENTS.md, or CLAUDE.md when there is no AGENTS.md. One that can't be used adds
 * nothing (and the other is not read in its place): an empty file silently, others with a warning.
 */
export async function readRulesFile(reader: ProjectReader): Promise<{ rulesFile: RulesFile | null; issues: Issue[] }> {
  for (const path of CANDIDATES) {
    const read = await reader.read(path);
    if (read.kind === "missing") continue;
    if (read.kind !== "file") return { rulesFile: null, issues: [{ file: path, path: "<file>", message: skipped(read), severity: "warning" }] };
    const { text, isExact } = decodeText(read.bytes);
    if (text.trim() === "") return { rulesFile: null, issues: [] };
    const sha = createHash("sha256").update(read.bytes).digest("hex").slice(0, 12);
    const issues: Issue[] = isExact ? [] : [{ file: path, path: "<file>", message: "is not UTF-8: what can't be read is replaced.", severity: "warning" }];
    return { rulesFile: { source: "workspace", path: join(reader.root, path), text, bytes: read.bytes.length, sha }, issues };
  }
  return { rulesFile: null, issues: [] };
}

function skipped(read: Exclude<FileRead, { kind: "file" | "missing" }>): string {
  switch (read.kind) {
    case "irregular": return "is not a regular file: it is skipped.";
    case "outside": return "is a link that leaves the project: it is skipped.";
    case "unreadable": return `can't be read: it is skipped (${read.reason}).`;
  }
}
