import { randomBytes } from "node:crypto";
import type { Json } from "@beeuni/protocol";
import type { ChatRequest } from "./chat-request.ts";
import type { Reply } from "./conversation.ts";
import { pieces } from "./pieces.ts";

type Message = Extract<Reply, { kind: "message" }>;
type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

/** A message as Chat Completions writes it, whole. */
export function encodeMessage(reply: Message, request: ChatRequest): string {
  const calls = toolCalls(reply);
  const message: Record<string, Json> = { role: "assistant", content: reply.text === "" && calls.length > 0 ? null : reply.text, refusal: null };
  if (reply.think !== "") message["reasoning_content"] = reply.think;
  if (calls.length > 0) message["tool_calls"] = calls;
  const choice = { index: 0, message, logprobs: null, finish_reason: finish(reply) };
  return JSON.stringify({ ...envelope("chat.completion", request), choices: [choice], usage: usage(reply, request), system_fingerprint: "fp_faux" });
}

/** The same as the server-sent events of a stream, one string an event, the last one `[DONE]`. */
export function* encodeStream(reply: Message, request: ChatRequest): Generator<string> {
  const common = { ...envelope("chat.completion.chunk", request), system_fingerprint: "fp_faux" };
  const event = (choices: Json[], counted: Json = null) =>
    `data: ${JSON.stringify({ ...common, choices, ...(request.includeUsage ? { usage: counted } : {}) })}\n\n`;
  const delta = (value: Json, reason: string | null = null) => event([{ index: 0, delta: value, logprobs: null, finish_reason: reason }]);

  yield delta({ role: "assistant", content: "", refusal: null });
  for (const piece of pieces(reply.think)) yield delta({ reasoning_content: piece });
  for (const piece of pieces(reply.text)) yield delta({ content: piece });
  for (const [index, call] of toolCalls(reply).entries()) {
    yield delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } }] });
    for (const piece of pieces(call.function.arguments)) yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield delta({}, finish(reply));
  if (request.includeUsage) yield event([], usage(reply, request));
  yield "data: [DONE]\n\n";
}

function envelope(object: string, request: ChatRequest): { id: string; object: string; created: number; model: string } {
  return { id: `chatcmpl-${unique()}`, object, created: Math.floor(Date.now() / 1000), model: request.model };
}

function toolCalls(reply: Message): ToolCall[] {
  return reply.calls.map((call) => ({ id: `call_${unique()}`, type: "function", function: { name: call.name, arguments: call.arguments } }));
}

function finish(reply: Message): string {
  return reply.calls.length > 0 ? "tool_calls" : "stop";
}

function usage(reply: Message, request: ChatRequest): Json {
  const reasoning = tokens(reply.think);
  const completion = reasoning + tokens(reply.text) + reply.calls.reduce((sum, call) => sum + tokens(call.name) + tokens(call.arguments), 0);
  return {
    prompt_tokens: request.promptTokens,
    completion_tokens: completion,
    total_tokens: request.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function unique(): string {
  return randomBytes(15).toString("hex");
}
