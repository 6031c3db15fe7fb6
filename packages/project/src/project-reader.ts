import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";

/** What a project is read through: its folder on this disk, or a release. Paths are relative, with `/`. */
export interface ProjectReader {
  /** Absolute path of the project's folder. */
  readonly root: string;
  read(path: string): Promise<FileRead>;
  /** Files at any depth below the folder, sorted; without hidden folders and `node_modules`. Empty when there is no such folder. */
  list(folder: string): Promise<string[]>;
}

export type FileRead =
  | { kind: "file"; bytes: Buffer }
  | { kind: "missing" }
  /** A folder, a device, a pipe. */
  | { kind: "irregular" }
  /** A link that leads out of the project. */
  | { kind: "outside" }
  | { kind: "unreadable"; reason: string };

const MAX_DEPTH = 6;
/** Far more than any prompt or manifest: reading on would only use up memory. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads a folder of this disk and nothing outside it: links are followed only while they stay inside. */
export async function diskReader(directory: string): Promise<ProjectReader> {
  const root = await realpath(directory);
  return {
    root,
    async read(path) {
      try {
        const real = await realpath(join(root, path));
        if (!isInside(root, real)) return { kind: "outside" };
        const stats = await stat(real);
        if (!stats.isFile()) return { kind: "irregular" };
        if (stats.size > MAX_FILE_BYTES) return { kind: "unreadable", reason: `it has ${stats.size} bytes; a file of the project's may have ${MAX_FILE_BYTES}` };
        return { kind: "file", bytes: await readFile(real) };
      } catch (thrown) {
        const code = (thrown as NodeJS.ErrnoException).code;
        if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
        return { kind: "unreadable", reason: (thrown as Error).message };
      }
    },
    async list(folder) {
      const found: string[] = [];
      await walk(root, folder, MAX_DEPTH, found);
      return found.sort();
    },
  };
}

async function walk(root: string, folder: string, depth: number, found: string[]): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    const isFolder = entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules";
    if (isFolder && depth > 1) await walk(root, path, depth - 1, found);
    else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
