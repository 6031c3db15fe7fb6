import { relative } from "node:path";
import type { ToolCallRef } from "@beeuni/harness";
import { isWithin, placeOf } from "./paths.ts";
import type { CallServices } from "./run-call.ts";
import type { ToolContext } from "./tool.ts";

/**
 * `locate` of one call. The host has decided about the path as it reads. Where a symbolic link or `~` leads somewhere else, it
 * decides about that place as well, so that a rule for a folder, or for everything outside the workspace, can't be walked
 * around.
 */
export function locator({ workspace, commandEnv }: CallServices, call: ToolCallRef, authorize: (call: ToolCallRef) => Promise<void>): ToolContext["locate"] {
  const { spelling, real } = workspace;
  return async (path) => {
    const local = isWithin(spelling, path) ? relative(spelling, path) || "." : path;
    const place = await placeOf(real, local, commandEnv["HOME"]);
    if (place.isElsewhere) await authorize({ ...call, input: { ...call.input, path: place.shown } });
    return place.real;
  };
}
