import type { Issue } from "@beeuni/protocol";

/** The one thing that this package needs from a disk, a release or a repository. */
export interface ManifestReader {
  /** The file's text, or null when there is none of this name. Rejects when it can't be read. */
  read(path: string): Promise<string | null>;
}

export const MANIFEST_FILE = "beeuni.yaml";

/** Files that someone meant as the manifest, and what to do about each. */
const NEARLY: readonly { file: string; advice: string }[] = [
  { file: "beeuni.yml", advice: "rename it to beeuni.yaml" },
  { file: "beeuni.toml", advice: "TOML manifests (beeuni_version 1) are not read yet — write it as beeuni.yaml with `beeuni_version: 2`" },
  { file: "kortix.yaml", advice: "rename it to beeuni.yaml, and its key `kortix_version` to `beeuni_version`" },
  { file: "kortix.yml", advice: "rename it to beeuni.yaml, and its key `kortix_version` to `beeuni_version`" },
  { file: "kortix.toml", advice: "write it as beeuni.yaml with `beeuni_version: 2`" },
];

/**
 * The manifest of a folder: its text; or an issue when only a file stands there that was meant as one; or null when the
 * folder is no project.
 */
export async function findManifest(reader: ManifestReader): Promise<{ file: string; text: string } | { issue: Issue } | null> {
  const text = await reader.read(MANIFEST_FILE);
  if (text !== null) return { file: MANIFEST_FILE, text };
  for (const { file, advice } of NEARLY) {
    if ((await reader.read(file)) !== null) return { issue: { file, path: "<file>", message: `${file} is not read: ${advice}.`, severity: "error" } };
  }
  return null;
}
