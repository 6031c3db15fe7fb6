import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
// gitignore rules as git reads them; eslint's own choice, no dependencies.
import ignore, { type Ignore } from "ignore";
import { isWithin } from "../paths.ts";
import { readRegularFile } from "../regular-file.ts";

/** Never worth listing, and often huge. Searched when the search starts inside one. */
const SKIPPED_FOLDERS = new Set([".git", "node_modules"]);

const MAX_IGNORE_BYTES = 1_024 * 1_024;

interface IgnoreFile {
  folder: string;
  rules: Ignore;
}

/**
 * The regular files under `root`, sorted by path, hidden ones included. `.git`, `node_modules`, symbolic links and what
 * the `.gitignore` files between `top` and the file exclude are left out. Folders that can't be read are skipped.
 */
export async function* walkFiles(root: string, top: string): AsyncGenerator<string> {
  const above: IgnoreFile[] = [];
  for (const folder of foldersBetween(top, root)) above.push(...(await ignoreFileOf(folder)));
  yield* walk(root, above);
}

async function* walk(folder: string, above: readonly IgnoreFile[]): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const rules = [...above, ...(entries.some(({ name }) => name === ".gitignore") ? await ignoreFileOf(folder) : [])];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name) && !isIgnored(path, true, rules)) yield* walk(path, rules);
    } else if (entry.isFile() && !isIgnored(path, false, rules)) yield path;
  }
}

/** The deepest file that speaks about the path decides. */
function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreFile[]): boolean {
  for (const { folder, rules: file } of rules.toReversed()) {
    const { ignored, unignored } = file.test(relative(folder, path) + (isFolder ? "/" : ""));
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function ignoreFileOf(folder: string): Promise<IgnoreFile[]> {
  const read = await readRegularFile(join(folder, ".gitignore"), MAX_IGNORE_BYTES).catch(() => null);
  const text = read?.kind === "content" ? read.content.toString() : "";
  return text.trim() === "" ? [] : [{ folder, rules: ignore().add(text) }];
}

/** `top` and every folder from it down to the parent of `root`; none when `root` is elsewhere. */
function foldersBetween(top: string, root: string): string[] {
  if (root === top || !isWithin(top, root)) return [];
  const folders: string[] = [];
  for (let folder = dirname(root); isWithin(top, folder); folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === top) break;
  }
  return folders;
}
