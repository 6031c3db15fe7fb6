import { lstat, readlink, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** Where a path argument leads. */
export interface Place {
  /** Absolute, with symbolic links followed as far as the path exists. */
  real: string;
  inside: boolean;
  /** Relative to the workspace when inside, else `real`; `.` for the workspace itself. */
  shown: string;
  /** A symbolic link, or `~`, leads elsewhere than the path reads. */
  isElsewhere: boolean;
}

/**
 * Resolves a path argument against the workspace (a real path). The last parts need not exist. A link that changes
 * between this and its use is not noticed: that takes a wall around the process.
 */
export async function placeOf(workspace: string, path: string, home: string = homedir()): Promise<Place> {
  const meant = path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path;
  const real = await follow(resolve(workspace, meant), 0);
  const inside = isWithin(workspace, real);
  return { real, inside, shown: inside ? relative(workspace, real) || "." : real, isElsewhere: real !== resolve(workspace, path) };
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The real path of what exists, with the rest appended; a link to something that is not there yet is followed too. */
async function follow(path: string, depth: number): Promise<string> {
  if (depth > 40) throw new Error(`${path}: too many symbolic links`);
  try {
    return await realpath(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  const parent = dirname(path);
  const link = await lstat(path).then((stats) => stats.isSymbolicLink(), () => false);
  if (link) {
    const target = await readlink(path);
    return follow(isAbsolute(target) ? target : resolve(await follow(parent, depth + 1), target), depth + 1);
  }
  return parent === path ? path : join(await follow(parent, depth + 1), path.slice(parent.length));
}
