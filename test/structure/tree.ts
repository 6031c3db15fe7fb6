import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of this repository. */
export const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** A file of the tree, with its path from the root (`/` between the names). */
export interface TreeFile { path: string; text: string }

/** A package of the workspace as its package.json says. `folder` from the root: `packages/cli`. */
export interface PackageInfo { name: string; folder: string; manifest: PackageManifest }
export interface PackageManifest {
  name: string;
  exports?: { [subpath: string]: string };
  dependencies?: { [name: string]: string };
  devDependencies?: { [name: string]: string };
  optionalDependencies?: { [name: string]: string };
  peerDependencies?: { [name: string]: string };
}

const SKIPPED = new Set(["node_modules", ".git", ".cache", "coverage"]);
const TEXT = /\.(?:[cm]?[jt]sx?|json5?|jsonl|md|ya?ml|toml|sh|html|css|txt)$|(?:^|\/)(?:beeuni|run|\.gitignore|LICENSE)$/;

/** All text files under `root` that belong to the repository. */
export async function readTree(root: string): Promise<TreeFile[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive: false });
  const files: TreeFile[] = [];
  const visit = async (folder: string, list: typeof entries): Promise<void> => {
    for (const entry of list.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) await visit(full, await readdir(full, { withFileTypes: true }));
      } else if (entry.isFile()) {
        const path = relative(root, full).replaceAll("\\", "/");
        if (TEXT.test(path)) files.push({ path, text: await readFile(full, "utf8") });
      }
    }
  };
  await visit(root, entries);
  return files;
}

/** The workspace's packages: `packages/*` and `conformance`. */
export function packagesOf(files: readonly TreeFile[]): PackageInfo[] {
  return files
    .filter(({ path }) => /^(?:packages\/[^/]+|conformance)\/package\.json$/.test(path))
    .map(({ path, text }) => {
      const manifest = JSON.parse(text) as PackageManifest;
      return { name: manifest.name, folder: dirname(path), manifest };
    });
}

export const isSource = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);
/** Tests, and the helpers that only tests use. */
export const isTest = (path: string): boolean => /\.test\.tsx?$|\.test-helpers?\.ts$|^test\/|\/(?:fixtures|testing)\//.test(path);

/** Runs `body` over a folder that holds `files` (path → text), for the controls of these tests. */
export async function withTree<T>(files: { [path: string]: string }, body: (tree: TreeFile[]) => T | Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "beeuni-structure-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await body(await readTree(root));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
