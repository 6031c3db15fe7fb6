import { relative } from "node:path";
import type { ToolCallRef } from "@beeuni/harness";
import { isWithin, placeOf } from "./paths.ts";
import type { CallServices } from "./run-call.ts";
import type { ToolContext } from "./tool.ts";

const READING = new Set(["read", "grep", "glob"]);

/**
 * `locate` of one call. The host has decided about the path as the model wrote it; where symbolic links lead somewhere
 * else, it decides about that place as well: about `external_directory` outside the workspace, about the same tool inside.
 */
export function locator(services: CallServices, call: ToolCallRef, authorize: (call: ToolCallRef) => Promise<void>): ToolContext["locate"] {
  const { spelling, real } = services.workspace;
  return async (path) => {
    const local = isWithin(spelling, path) ? relative(spelling, path) || "." : path;
    const place = await placeOf(real, local, services.commandEnv["HOME"]);
    if (place.inside) {
      if (place.isLinked) await authorize({ ...call, input: { ...call.input, path: place.shown } });
      return place.real;
    }
    // Long outputs of its own calls: the model was told to read them there.
    if (READING.has(call.tool) && isWithin(services.outputDir, place.real)) return place.real;
    await authorize({ ...call, tool: "external_directory", input: { path: place.real, tool: call.tool } });
    return place.real;
  };
}
