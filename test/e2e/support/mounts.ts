import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

const UNSHARE = ["unshare", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--mount", "--"];

/** Whether this machine lets a test mount: in some containers nobody may. */
export function canMount(): boolean {
  return spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
}

/**
 * Words in front of a command that run it in a mount namespace of its own, with a file system in memory at `folder`: read-only,
 * or of a size in KiB. It goes away with the command.
 */
export function withFileSystem(folder: string, option: "ro" | number): string[] {
  mkdirSync(folder, { recursive: true });
  return [...UNSHARE, "sh", "-c", `mount -t tmpfs -o ${option === "ro" ? "ro" : `size=${option}k`} tmpfs "$0" && exec "$@"`, folder];
}
