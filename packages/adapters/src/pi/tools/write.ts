import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { withFileLock } from "./file-lock.ts";
import { writeRegularFile } from "./regular-file.ts";
import { fileError, irregular } from "./text-file.ts";
import type { Tool } from "./tool.ts";

export const writeTool: Tool = {
  name: "write",
  description: "Write a file: create it, folders included, or replace its whole content. To change parts of a file use edit.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the workspace or absolute" },
      content: { type: "string", description: "The whole new content" },
    },
    required: ["path", "content"],
  },
  async run(input, { locate }) {
    const path = String(input["path"]);
    const content = String(input["content"]);
    const real = await locate(path);
    return withFileLock(real, async () => {
      const existed = await stat(real).then(() => true, () => false);
      try {
        await mkdir(dirname(real), { recursive: true });
        if (!(await writeRegularFile(real, content))) throw irregular(path);
      } catch (error) {
        throw fileError(error, path, "write");
      }
      const bytes = Buffer.byteLength(content);
      return { output: `${existed ? "Replaced" : "Created"} ${path} (${bytes} bytes).`, metadata: { path, bytes, created: !existed } };
    });
  },
};
