/** A recorded Chat Completions request, as far as it is looked at here. */
export interface ModelRequest {
  messages: { role: string; content: unknown; tool_calls?: { id: string; function: { name: string } }[]; tool_call_id?: string }[];
}

export interface ToolResult { callId: string; text: string }

/** Why a provider would refuse the request: a call without a result, a result without a call, an id that comes twice. */
export function requestProblems({ messages }: ModelRequest): string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  let waiting = new Set<string>();
  const endOfResults = (): void => {
    for (const id of waiting) problems.push(`the call ${id} has no result`);
    waiting = new Set();
  };
  for (const { role, tool_calls = [], tool_call_id } of messages) {
    if (role === "tool") {
      if (!waiting.delete(tool_call_id ?? "")) problems.push(`a result for ${tool_call_id}, which nobody called`);
      continue;
    }
    endOfResults();
    for (const { id } of tool_calls) {
      if (known.has(id)) problems.push(`two calls have the id ${id}`);
      known.add(id);
      waiting.add(id);
    }
  }
  endOfResults();
  if (messages.at(-1)?.role !== "user") problems.push(`its last message is of ${messages.at(-1)?.role}`);
  return problems;
}

export function toolResults({ messages }: ModelRequest): ToolResult[] {
  return messages.flatMap(({ role, tool_call_id, content }) => (role === "tool" ? [{ callId: tool_call_id ?? "", text: textOf(content) }] : []));
}

export function lastText({ messages }: ModelRequest): string {
  return textOf(messages.at(-1)?.content);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((piece: { text?: string }) => piece.text ?? "").join("") : "";
}
