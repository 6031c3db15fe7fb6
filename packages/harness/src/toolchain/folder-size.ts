import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Megabytes (10^6 bytes) that the files below a folder take on the disk; what vanishes meanwhile does not count. */
export async function folderMegabytes(folder: string): Promise<number> {
  return Math.round((await bytesOf(folder)) / 1e6);
}

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesOf(path);
    else {
      const stats = await lstat(path).catch(() => null);
      // Blocks are what it takes; some file systems do not count them.
      if (stats !== null) bytes += stats.blocks > 0 ? stats.blocks * 512 : stats.size;
    }
  }
  return bytes;
}
