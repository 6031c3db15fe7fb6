import type { ToolPart } from "@beeuni/transcript";
import type { Colours } from "../io.ts";
import { oneLine, visible } from "./plain.ts";
import { truncate, wrap } from "./width.ts";

const SUBJECTS = ["command", "path", "filePath", "file_path", "pattern", "query", "url", "name", "description"];
const PREVIEW_LINES = 5;

/** What a call is about: the command, the path, else its arguments. One line. */
export function subjectOf(input: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(input["questions"])) return oneLine(input["questions"].map((item: { question?: unknown }) => String(item?.question ?? "")).join(" · "));
  const key = SUBJECTS.find((name) => typeof input[name] === "string");
  if (key !== undefined) return oneLine(input[key] as string);
  return Object.keys(input).length === 0 ? "" : oneLine(JSON.stringify(input).slice(0, 2000));
}

/** `● bash  git status` in one line. */
export function toolHeading(part: ToolPart, columns: number, colours: Colours): string {
  const name = oneLine(part.tool);
  const subject = truncate(subjectOf(part.state.input), Math.max(8, columns - name.length - 4));
  return `${colours.cyan("●")} ${colours.bold(name)}${subject === "" ? "" : `  ${subject}`}`;
}

/** The first lines of what the tool gave back, indented, and how much more there is. */
export function toolOutcome(part: ToolPart, columns: number, colours: Colours): string[] {
  const { state } = part;
  if (state.status === "error") {
    // What went wrong, and how it can be allowed, is read to the end: it wraps instead of being cut.
    const lines = preview(`${state.kind}: ${state.error}`, columns).flatMap((line) => wrap(line, columns - 4)).slice(0, 2 * PREVIEW_LINES);
    return lines.map((line, index) => `${index === 0 ? `  ${colours.red("✗")} ` : "    "}${truncate(line, columns - 4)}`);
  }
  if (state.status !== "completed") return [];
  const lines = preview(state.output, columns, isFailedCommand(state.metadata) ? 1 : 0);
  return lines.map((line) => `  ${colours.dim(truncate(line, columns - 2))}`);
}

/** A command that ended with another code than 0 is a completed call: only its last line says so. */
function isFailedCommand(metadata: Readonly<Record<string, unknown>>): boolean {
  return "exit" in metadata && metadata["exit"] !== 0;
}

/** The first lines of `text`, and how many are left out between them and its last `tail` lines. */
function preview(text: string, columns: number, tail = 0): string[] {
  // Enough of a huge output for the lines shown, so that its size costs nothing here.
  const head = text.slice(0, PREVIEW_LINES * Math.min(columns, 1000) * 4);
  const lines = visible(head).replaceAll("\t", "    ").replace(/\n+$/, "").split("\n");
  if (head.length === text.length && lines.length <= PREVIEW_LINES) return lines[0] === "" && lines.length === 1 ? [] : lines;
  const all = text.replace(/\n+$/, "").split("\n");
  const shown = lines.slice(0, PREVIEW_LINES - 1 - tail);
  const last = all.slice(Math.max(shown.length, all.length - tail)).map(visible);
  const hidden = all.length - shown.length - last.length;
  return hidden > 0 ? [...shown, `… ${hidden} more line${hidden === 1 ? "" : "s"}`, ...last] : [...shown, ...last];
}
