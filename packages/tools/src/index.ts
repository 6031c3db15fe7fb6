export type { LoadedTool, LoadedTools, LoadToolsOptions, RunToolOptions, ToolContext, ToolLoadFailure, ToolModule, ToolOutput } from "./tool.ts";
