// eventsource-parser: the split of a byte stream into server-sent events has enough corners to leave it to a library.
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { ModelEndpoint, ModelRef, TurnError, Usage } from "@beeuni/protocol";
import type { AgentSpec, HistoryMessage } from "@beeuni/harness";

export interface ChatRequest {
  endpoint: ModelEndpoint;
  model: ModelRef;
  agent: AgentSpec;
  messages: ChatMessage[];
  /** Names and schemas of the tools that the model sees. */
  tools: { name: string; description: string; parameters: unknown }[];
  signal: AbortSignal;
}

export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[] }
  | { role: "tool"; tool_call_id: string; content: string };

/** A remembered message as Chat Completions has it: one message, and one more for the result of each of its calls. */
export function chatMessages({ role, text, toolCalls }: HistoryMessage): ChatMessage[] {
  if (role === "user") return [{ role, content: text }];
  const calls = toolCalls.map(({ callId, tool, input }) => ({ id: callId, type: "function" as const, function: { name: tool, arguments: JSON.stringify(input) } }));
  return [
    { role, content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
    ...toolCalls.map(({ callId, output }) => ({ role: "tool" as const, tool_call_id: callId, content: output })),
  ];
}

export interface ChatAnswer {
  responseId: string | null;
  finish: string | null;
  usage: Usage | null;
  error: TurnError | null;
}

/**
 * One streamed Chat Completions request through the session's endpoint. Text is handed on as it arrives. Failures come
 * back as `error`; only a stop throws (the signal's reason).
 */
export async function chat(request: ChatRequest, onText: (delta: string) => void): Promise<ChatAnswer> {
  const answer: ChatAnswer = { responseId: null, finish: null, usage: null, error: null };
  try {
    const response = await fetch(`${request.endpoint.root}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(bodyOf(request)),
      signal: request.signal,
    });
    if (!response.ok || response.body === null) return { ...answer, error: refusal(response.status, await response.text()) };
    let done = false;
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const event of events) {
      if (event.data === "[DONE]") done = true;
      else readChunk(JSON.parse(event.data) as Chunk, answer, onText);
    }
    if (!done) answer.error = { code: "upstream", message: "the model's stream ended before it was finished" };
  } catch (thrown) {
    request.signal.throwIfAborted();
    answer.error = { code: "upstream", message: `the model request failed: ${(thrown as Error).message}` };
  }
  // A report that came before the break says nothing about the whole.
  if (answer.error !== null) answer.usage = null;
  return answer;
}

function bodyOf({ endpoint, model, agent, messages, tools }: ChatRequest): object {
  const known = endpoint.models.find((entry) => entry.ref.provider === model.provider && entry.ref.id === model.id);
  return {
    model: known?.wireId ?? `${model.provider}/${model.id}`,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.topP === null ? {} : { top_p: agent.topP }),
    ...(agent.variant === null ? {} : known?.variants[agent.variant]),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
  };
}

interface Chunk {
  id?: string;
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens?: number } } | null;
}

function readChunk(chunk: Chunk, answer: ChatAnswer, onText: (delta: string) => void): void {
  answer.responseId ??= chunk.id ?? null;
  const choice = chunk.choices?.[0];
  if (choice?.delta?.content) onText(choice.delta.content);
  if (choice?.finish_reason) answer.finish = choice.finish_reason;
  if (chunk.usage) {
    const cached = chunk.usage.prompt_tokens_details?.cached_tokens ?? 0;
    answer.usage = { input: chunk.usage.prompt_tokens - cached, output: chunk.usage.completion_tokens, reasoning: 0, cacheRead: cached, cacheWrite: 0 };
  }
}

function refusal(status: number, body: string): TurnError {
  const code = status === 401 || status === 403 ? "auth" : status === 402 ? "credits" : status === 429 ? "rate_limit" : "upstream";
  return { code, status, message: `the model answered ${status}: ${body.slice(0, 300)}` };
}
