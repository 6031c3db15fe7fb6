import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces a file whole: written beside it, synced, renamed, and the folder synced, so that a reader sees the old text
 * or the new one, also after a power cut. Files are private (0600).
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const beside = `${path}.new`;
  const file = await open(beside, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
