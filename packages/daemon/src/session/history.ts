import type { HistoryMessage } from "@beeuni/harness";
import type { Part, SessionState, ToolPart } from "@beeuni/transcript";

/** The history of the turns that have ended: what runs or waits is not history yet. */
export function endedHistory(session: SessionState): HistoryMessage[] {
  const ended = new Set(session.turns.filter((turn) => turn.endedAt !== undefined).map((turn) => turn.id));
  return historyOf(session.messages.filter(({ info }) => ended.has(info.turn)));
}

/**
 * The conversation for a harness that has to be told: roles, texts and tool calls, oldest first. Consecutive
 * assistant steps stay separate messages; a step with neither text nor calls is left out. Every call has an output,
 * also one that failed or never ended, so that the next model request is valid. Pure.
 */
export function historyOf(messages: SessionState["messages"]): HistoryMessage[] {
  const history: HistoryMessage[] = [];
  for (const { info, parts } of messages) {
    const text = parts.map(textOf).filter((piece) => piece !== "").join("\n\n");
    const toolCalls = parts.filter((part): part is ToolPart => part.type === "tool").map(toolCallOf);
    if (text === "" && toolCalls.length === 0) continue;
    history.push({ role: info.role, text, toolCalls });
  }
  return history;
}

function textOf(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "file") return `[file: ${part.filename ?? part.mime}]`;
  return "";
}

function toolCallOf({ callId, tool, state }: ToolPart): HistoryMessage["toolCalls"][number] {
  const call = { callId, tool, input: state.input };
  if (state.status === "completed") return { ...call, output: state.output, isError: false };
  if (state.status === "error") return { ...call, output: state.error, isError: true };
  return { ...call, output: "The call did not end.", isError: true };
}
