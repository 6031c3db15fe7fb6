export type { LoadedTool, LoadedTools, LoadToolsOptions, RunToolOptions, ToolContext, ToolLoadFailure, ToolModule, ToolOutput } from "./tool.ts";
export { loadTools } from "./load-tools.ts";
export { resultText, runTool } from "./run-tool.ts";
export { MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES } from "./bound-output.ts";
export { toolPermissionKeys } from "./permission-keys.ts";
