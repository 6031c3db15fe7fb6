import { isAbsolute, relative } from "node:path";
// Globs with braces and `**`; what tinyglobby and chokidar match with, no dependencies.
import picomatch from "picomatch";

/**
 * Matches files by a glob, the way models use them: a pattern without a slash is for the name, at any depth; `./` in
 * front means nothing; an absolute pattern counts from the workspace. Answers for a path relative to the search's root.
 */
export function filePattern(pattern: string, root: string): (path: string) => boolean {
  const local = isAbsolute(pattern) ? relative(root, pattern) : pattern.replace(/^(?:\.\/)+/, "");
  const matches = picomatch(local, { dot: true });
  if (local.includes("/")) return matches;
  return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}
