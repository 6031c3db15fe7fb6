import type { Part, ToolPart } from "./parts.ts";
import type { SessionState } from "./state.ts";

/** What a conversation looks like to a harness that has to be told: plain roles, texts and tool calls. */
export interface HistoryMessage {
  role: "user" | "assistant";
  text: string;
  /** Every call has an `output`, also one that failed or never ended, so that the next model request is valid. */
  toolCalls: { callId: string; tool: string; input: { [key: string]: unknown }; output: string; isError: boolean }[];
}

/**
 * The conversation, oldest first. Consecutive assistant steps stay separate messages; one with neither text nor calls is
 * left out; reasoning is never told on (it belongs to the model that thought it).
 */
export function historyOf(messages: SessionState["messages"]): HistoryMessage[] {
  return messages
    .map(({ info, parts }) => ({
      role: info.role,
      text: parts.map(textOf).filter((text) => text !== "").join("\n\n"),
      toolCalls: parts.filter((part): part is ToolPart => part.type === "tool").map(callOf),
    }))
    .filter(({ text, toolCalls }) => text !== "" || toolCalls.length > 0);
}

function textOf(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "file") return `[file: ${part.filename ?? part.mime}]`;
  return "";
}

function callOf({ callId, tool, state }: ToolPart): HistoryMessage["toolCalls"][number] {
  const call = { callId, tool, input: state.input };
  if (state.status === "completed") return { ...call, output: state.output, isError: false };
  return { ...call, output: state.status === "error" ? state.error : "The call did not end.", isError: true };
}
