import { relative } from "node:path";
import { isWithin } from "../paths.ts";

/** How a found file is named to the model: relative inside the workspace, absolute outside. */
export function shownPath(workspace: string, path: string): string {
  return isWithin(workspace, path) ? relative(workspace, path) || "." : path;
}
