import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first bash of a PATH, else the usual one, else null. */
export function findBash(path: string | undefined): string | null {
  const folders = (path ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...folders, "/bin"].map((folder) => join(folder, "bash")).find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
