import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { RulesFile } from "@beeuni/protocol";

const NAMES = ["AGENTS.md", "CLAUDE.md"];

/**
 * The rules files that go into the system prompt, outermost first: of each folder above the workspace `AGENTS.md`, else
 * `CLAUDE.md`, then the project's own. `copy` holds the text where it does not stand in the workspace. OpenCode reads them anew
 * for each model request. A file of somebody else's does not count: it could speak to the agent of whoever works below it.
 */
export async function rulesFiles(workspace: string, rules: RulesFile | null, copy: string): Promise<string[]> {
  const above: string[] = [];
  for (let folder = dirname(workspace); ; folder = dirname(folder)) {
    const file = await ownFile(folder);
    if (file !== null) above.unshift(file);
    if (folder === dirname(folder)) break;
  }
  if (rules === null || rules.text.trim() === "") return above;
  const live = resolve(workspace, rules.path);
  const isThere = rules.source === "workspace" && (await stat(live).catch(() => null))?.isFile() === true;
  return [...above, isThere ? live : copy];
}

async function ownFile(folder: string): Promise<string | null> {
  for (const name of NAMES) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true && (found.uid === 0 || found.uid === process.getuid?.())) return path;
  }
  return null;
}
