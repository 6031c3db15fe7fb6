import { stat } from "node:fs/promises";
import { expressionOf } from "./search/expression.ts";
import type { SearchThreads } from "./search/search-threads.ts";
import { fileError } from "./text-file.ts";
import { ToolError, type Tool } from "./tool.ts";

export function grepTool(searches: SearchThreads): Tool {
  return {
    name: "grep",
    description:
      "Search the lines of files with a regular expression (JavaScript syntax). Answers path:line: text. " +
      "Hidden files count; .git, node_modules, binary files and what .gitignore excludes do not.",
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The regular expression, or plain text with literal" },
        path: { type: "string", description: "Folder or file to search (default: the workspace)" },
        glob: { type: "string", description: "Only files that match this glob, for example *.ts" },
        ignoreCase: { type: "boolean", description: "Ignore upper and lower case" },
        literal: { type: "boolean", description: "Take the pattern as plain text" },
        context: { type: "integer", minimum: 0, maximum: 20, description: "Lines to show before and after each match" },
      },
      required: ["pattern"],
    },
    async run(input, { workspace, signal, locate }) {
      const path = String(input["path"] ?? ".");
      const pattern = String(input["pattern"]);
      const literal = input["literal"] === true;
      checkExpression(pattern, literal);
      const root = await locate(path);
      await stat(root).catch((error: unknown) => { throw fileError(error, path, "search"); });
      const { output, count, truncated } = await searches.run({
        kind: "lines", workspace, root, pattern, literal, glob: input["glob"] === undefined ? null : String(input["glob"]),
        ignoreCase: input["ignoreCase"] === true, context: Number(input["context"] ?? 0),
      }, signal);
      return { output, metadata: { count, truncated } };
    },
  };
}

function checkExpression(pattern: string, literal: boolean): void {
  try {
    expressionOf(pattern, { ignoreCase: false, literal });
  } catch (error) {
    throw new ToolError("failed", `${(error as Error).message}. Correct the pattern, or set literal to search for it as plain text.`);
  }
}
