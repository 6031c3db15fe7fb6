import { ToolError } from "./tool.ts";

export interface Edit {
  oldText: string;
  newText: string;
  replaceAll: boolean;
}

/**
 * Applies edits to a text; all are matched against the text as it was. Every `oldText` must be there exactly once (or
 * anywhere, with `replaceAll`) and no two may overlap. Throws `ToolError` that says which edit failed and why, and
 * changes nothing then.
 */
export function applyEdits(text: string, edits: readonly Edit[], path: string): { text: string; replacements: number } {
  const found = edits.flatMap((edit, index) => {
    const label = edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
    return placesOf(text, edit, label, path).map((at) => ({ at, end: at + edit.oldText.length, newText: edit.newText, index }));
  });
  found.sort((a, b) => a.at - b.at);
  for (let index = 1; index < found.length; index++) {
    const previous = found[index - 1]!;
    if (found[index]!.at < previous.end) {
      throw new ToolError("failed", `edits[${previous.index}] and edits[${found[index]!.index}] overlap in ${path}. Merge them into one edit.`);
    }
  }
  let result = "";
  let from = 0;
  for (const { at, end, newText } of found) {
    result += text.slice(from, at) + newText;
    from = end;
  }
  result += text.slice(from);
  if (result === text) throw new ToolError("failed", `The edit would not change ${path}: the new text is the same as the old.`);
  return { text: result, replacements: found.length };
}

function placesOf(text: string, { oldText, replaceAll }: Edit, label: string, path: string): number[] {
  if (oldText === "") throw new ToolError("failed", `${label} is empty. To write a whole file use write.`);
  const places: number[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) places.push(at);
  if (places.length === 0) {
    throw new ToolError("failed", `${label} is not in ${path}. It must match exactly, blanks and line breaks included: read the file again.`);
  }
  if (places.length > 1 && !replaceAll) {
    const lines = places.slice(0, 10).map((at) => text.slice(0, at).split("\n").length);
    throw new ToolError("failed", `${label} is in ${path} ${places.length} times (lines ${lines.join(", ")}). Add text around it, or set replaceAll.`);
  }
  return places;
}
