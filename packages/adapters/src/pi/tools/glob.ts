import { stat } from "node:fs/promises";
import type { SearchThreads } from "./search/search-threads.ts";
import { fileError } from "./text-file.ts";
import { ToolError, type Tool } from "./tool.ts";

export function globTool(searches: SearchThreads): Tool {
  return {
    name: "glob",
    description:
      "Find files by name. A pattern without a slash is for the file's name in any folder (*.ts), one with a slash for the path (src/**/*.{ts,tsx}). " +
      "Hidden files count; .git, node_modules and what .gitignore excludes do not. Sorted by path.",
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The glob" },
        path: { type: "string", description: "Folder to search (default: the workspace)" },
      },
      required: ["pattern"],
    },
    async run(input, { workspace, signal, locate }) {
      const path = String(input["path"] ?? ".");
      const root = await locate(path);
      const stats = await stat(root).catch((error: unknown) => { throw fileError(error, path, "search"); });
      if (!stats.isDirectory()) throw new ToolError("failed", `${path} is not a folder.`);
      const { output, count, truncated } = await searches.run({ kind: "find", workspace, root, pattern: String(input["pattern"]) }, signal);
      return { output, metadata: { count, truncated } };
    },
  };
}
