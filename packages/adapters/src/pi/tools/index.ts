import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import type { LeftBehind } from "./process-group.ts";
import { QUESTION } from "./question.ts";
import { readTool } from "./read.ts";
import type { Tool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** In the order in which the model sees them. */
export function builtinTools(leftBehind: LeftBehind): Tool[] {
  return [bashTool(leftBehind), readTool, writeTool, editTool, globTool, grepTool];
}

export const BUILTIN_TOOL_NAMES = ["bash", readTool.name, writeTool.name, editTool.name, globTool.name, grepTool.name, QUESTION.name] as const;
