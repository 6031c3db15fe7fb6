import type { ToolPart } from "../parts.ts";
import { changeOf, type Fields, wireInput } from "./file-tools.ts";
import type { WireToolState } from "./types.ts";

/** Arguments that tell best what a call is about, best first. */
const TITLES = ["description", "command", "filePath", "path", "pattern", "query", "url", "name"];

/**
 * A call that waits (for a permission, for its turn) is shown as running, as it is on the wire: a client reads what it has to
 * ask a person from the arguments of a running call. `since`: when the call was made.
 */
export function wireToolState({ tool, state }: ToolPart, since: number): WireToolState {
  const input = wireInput(tool, state.input);
  switch (state.status) {
    case "pending":
      return { status: "running", input, time: { start: since } };
    case "running":
      return { status: "running", input, time: { start: state.startedAt }, ...(state.metadata === undefined ? {} : { metadata: state.metadata }) };
    case "completed":
      return {
        status: "completed", input, output: state.output, title: titleOf(input, state.metadata), metadata: shownMetadata(tool, state.metadata, input, state.output),
        time: { start: state.startedAt, end: state.endedAt },
      };
    case "error":
      return {
        status: "error", input, error: state.error, time: { start: state.startedAt ?? state.endedAt, end: state.endedAt },
        ...(state.metadata === undefined ? {} : { metadata: state.metadata }),
      };
  }
}

/** What a call is while the model still writes it. The log knows it only when it is whole. */
export const UNWRITTEN: WireToolState = { status: "pending", input: {}, raw: "" };

function titleOf(input: Fields, metadata: Fields): string {
  const own = metadata["title"];
  if (typeof own === "string") return own;
  const named = TITLES.map((key) => input[key]).find((value) => typeof value === "string");
  return typeof named === "string" ? named.split("\n", 1)[0]!.slice(0, 200) : "";
}

/** Clients draw what a shell command printed, and how a file was edited, from the metadata. */
function shownMetadata(tool: string, metadata: Fields, input: Fields, output: string): Fields {
  if (typeof input["command"] === "string" && metadata["output"] === undefined) return { ...metadata, output };
  const change = tool === "edit" && metadata["diff"] === undefined ? changeOf(tool, input) : undefined;
  return change === undefined ? metadata : { ...metadata, diff: change.diff };
}
