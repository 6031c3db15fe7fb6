/** Arguments or metadata of a tool call. */
export type Fields = { [key: string]: unknown };

const FILE_TOOLS = new Set(["read", "write", "edit"]);

/** The path of a file tool is called `filePath` on the wire: clients draw the call from it. Some harnesses call it `path`. */
export function wireInput(tool: string, input: Fields): Fields {
  const { path, ...rest } = input;
  return FILE_TOOLS.has(tool) && typeof path === "string" && input["filePath"] === undefined ? { filePath: path, ...rest } : input;
}

/** What a person needs to see before a file is changed: which one, and how the call says it will change. */
export function changeOf(tool: string, input: Fields): { filepath: string; diff: string } | undefined {
  const filepath = input["filePath"] ?? input["path"];
  if (typeof filepath !== "string") return undefined;
  const hunks = tool === "write" ? [{ old: "", new: input["content"] }] : tool === "edit" ? editsOf(input) : [];
  const texts = hunks.filter((hunk): hunk is { old: string; new: string } => typeof hunk.old === "string" && typeof hunk.new === "string");
  return texts.length === 0 ? undefined : { filepath, diff: diffOf(filepath, texts) };
}

function editsOf(input: Fields): { old: unknown; new: unknown }[] {
  const { edits } = input;
  if (!Array.isArray(edits)) return [{ old: input["oldString"], new: input["newString"] }];
  return edits.map((edit: Fields | null) => ({ old: edit?.["oldText"], new: edit?.["newText"] }));
}

/**
 * The replacements in the form of a unified diff. The file itself is not looked at, so the places are not the file's: each
 * hunk begins where the one before it ended.
 */
function diffOf(path: string, hunks: readonly { old: string; new: string }[]): string {
  const lines = [`--- ${path}`, `+++ ${path}`];
  let [before, after] = [1, 1];
  for (const hunk of hunks) {
    const [removed, added] = [linesOf(hunk.old), linesOf(hunk.new)];
    lines.push(`@@ -${rangeOf(before, removed)} +${rangeOf(after, added)} @@`, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`));
    before += removed.length;
    after += added.length;
  }
  return `${lines.join("\n")}\n`;
}

function rangeOf(start: number, { length }: readonly string[]): string {
  return `${length === 0 ? start - 1 : start},${length}`;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
