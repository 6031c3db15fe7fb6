import { withFileLock } from "./file-lock.ts";
import { writeRegularFile } from "./regular-file.ts";
import { applyEdits, type Edit } from "./replace.ts";
import { fileError, irregular, readTextFile } from "./text-file.ts";
import { ToolError, type Tool, type ToolInput } from "./tool.ts";

export const editTool: Tool = {
  name: "edit",
  description:
    "Change parts of a file by exact replacement. Each oldText must match one place of the file as it is now, blanks and line breaks included; " +
    "several changes of one file go into one call. Keep oldText short, but unique.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the workspace or absolute" },
      edits: {
        type: "array",
        description: "The replacements. All are matched against the file as it was before the call, and must not overlap",
        items: {
          type: "object",
          properties: {
            oldText: { type: "string", description: "Text to replace, exactly as it is in the file" },
            newText: { type: "string", description: "Text to put in its place" },
            replaceAll: { type: "boolean", description: "Replace every occurrence (default: there must be one only)" },
          },
          required: ["oldText", "newText"],
        },
      },
    },
    required: ["path", "edits"],
  },
  async run(input, { locate }) {
    const path = String(input["path"]);
    const edits = editsOf(input);
    if (edits.length === 0) throw new ToolError("failed", "edits must hold at least one replacement.");
    const real = await locate(path);
    return withFileLock(real, async () => {
      const content = await readTextFile(real, path);
      const original = content.toString();
      if (!Buffer.from(original).equals(content)) throw new ToolError("failed", `${path} is not UTF-8 text.`);
      // Models write \n: a file with \r\n throughout is matched and written back in its own way.
      const isCrlf = original.includes("\r\n") && !/(?<!\r)\n/.test(original);
      const { text, replacements } = isCrlf ? applyEdits(withLf(original), edits.map(editWithLf), path) : applyEdits(original, edits, path);
      const isWritten = await writeRegularFile(real, isCrlf ? text.replaceAll("\n", "\r\n") : text).catch((error: unknown) => { throw fileError(error, path, "write"); });
      if (!isWritten) throw irregular(path);
      return { output: `Edited ${path} (${replacements} ${replacements === 1 ? "replacement" : "replacements"}).`, metadata: { path, replacements } };
    });
  },
};

/**
 * Brings the shapes that models send instead into the declared one: a single edit beside `path`, one object instead of a
 * list, the list as a JSON string. Runs before the arguments are checked.
 */
export function tolerantEditInput(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  const { oldText, newText, replaceAll, ...rest } = input as { [key: string]: unknown };
  let edits = rest["edits"];
  if (typeof edits === "string") {
    try { edits = JSON.parse(edits); } catch { return input; }
  }
  if (edits === undefined && oldText !== undefined) edits = [{ oldText, newText, ...(replaceAll === undefined ? {} : { replaceAll }) }];
  else if (typeof edits === "object" && edits !== null && !Array.isArray(edits)) edits = [edits];
  return { ...rest, edits };
}

function editsOf(input: ToolInput): Edit[] {
  return (input["edits"] as (Omit<Edit, "replaceAll"> & { replaceAll?: boolean })[]).map((edit) => ({ ...edit, replaceAll: edit.replaceAll ?? false }));
}

function withLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function editWithLf({ oldText, newText, replaceAll }: Edit): Edit {
  return { oldText: withLf(oldText), newText: withLf(newText), replaceAll };
}
