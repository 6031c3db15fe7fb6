import type { ToolState } from "../parts.ts";
import type { WireToolState } from "./types.ts";

type Fields = { [key: string]: unknown };

/** Arguments that tell best what a call is about, best first. */
const TITLES = ["description", "command", "filePath", "path", "pattern", "query", "url", "name"];

export function wireToolState(state: ToolState): WireToolState {
  const { input } = state;
  switch (state.status) {
    case "pending":
      return { status: "pending", input, raw: "" };
    case "running":
      return { status: "running", input, time: { start: state.startedAt }, ...(state.metadata === undefined ? {} : { metadata: state.metadata }) };
    case "completed":
      return {
        status: "completed", input, output: state.output, title: titleOf(input, state.metadata), metadata: shownMetadata(state.metadata, input, state.output),
        time: { start: state.startedAt, end: state.endedAt },
      };
    case "error":
      return {
        status: "error", input, error: state.error, time: { start: state.startedAt ?? state.endedAt, end: state.endedAt },
        ...(state.metadata === undefined ? {} : { metadata: state.metadata }),
      };
  }
}

function titleOf(input: Fields, metadata: Fields): string {
  const own = metadata["title"];
  if (typeof own === "string") return own;
  const named = TITLES.map((key) => input[key]).find((value) => typeof value === "string");
  return typeof named === "string" ? named.split("\n", 1)[0]!.slice(0, 200) : "";
}

/** Clients draw what a shell command printed from the metadata, while it runs and after. */
function shownMetadata(metadata: Fields, input: Fields, output: string): Fields {
  return typeof input["command"] === "string" && metadata["output"] === undefined ? { ...metadata, output } : metadata;
}
