import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import type { CallResources } from "./call-resources.ts";
import { QUESTION } from "./question.ts";
import { readTool } from "./read.ts";
import type { Tool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** In the order in which the model sees them. */
export function builtinTools({ leftBehind, searches }: CallResources): Tool[] {
  return [bashTool(leftBehind), readTool, writeTool, editTool, globTool(searches), grepTool(searches)];
}

export const BUILTIN_TOOL_NAMES = ["bash", "read", "write", "edit", "glob", "grep", QUESTION.name] as const;
