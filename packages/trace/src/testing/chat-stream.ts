/** A Chat Completions stream in the usual shape; `end: false` breaks off behind the last text. */
export function chatStream(script: { id: string; text?: string; toolCalls?: string[]; end?: boolean }): string {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: script.id, object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const texts = (script.text ?? "").split(/(?<= )/).map((content) => chunk({ content }));
  const calls = (script.toolCalls ?? []).map((id, index) =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name: "bash", arguments: "{}" } }] }));
  const body = [chunk({ role: "assistant" }), ...texts, ...calls].join("");
  return script.end === false ? body : `${body}${chunk({}, calls.length > 0 ? "tool_calls" : "stop")}data: [DONE]\n\n`;
}
