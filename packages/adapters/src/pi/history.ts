import type { HistoryMessage } from "@beeuni/harness";
import type { NativeBlock, NativeMessage } from "./native-events.ts";
import type { StoredEntry } from "./sdk.ts";

/** What an assistant message of Pi says about who wrote it. */
export interface Author {
  api: string;
  provider: string;
  model: string;
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };

/**
 * Our transcript as messages of Pi's. Every tool call is followed by its result, so that the next request is valid
 * whatever happened to the call. Pure.
 */
export function nativeHistory(history: readonly HistoryMessage[], author: Author, now: number): NativeMessage[] {
  return history.flatMap(({ role, text, toolCalls }): NativeMessage[] => {
    if (role === "user") return [{ role: "user", content: [{ type: "text", text }], timestamp: now }];
    const content: NativeBlock[] = [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...toolCalls.map(({ callId, tool, input }) => ({ type: "toolCall" as const, id: callId, name: tool, arguments: input })),
    ];
    if (content.length === 0) return [];
    return [
      { role: "assistant", content, ...author, usage: NO_USAGE, stopReason: toolCalls.length > 0 ? "toolUse" : "stop", timestamp: now },
      ...toolCalls.map(({ callId, tool, output, isError }) => resultOf(callId, tool, output, isError, now)),
    ];
  });
}

/** Results for the calls at the end of Pi's own session that never got one. Pure; empty when there are none. */
export function missingResults(entries: readonly StoredEntry[], history: readonly HistoryMessage[], now: number): NativeMessage[] {
  const messages = messagesOf(entries);
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const assistant = messages[last];
  if (assistant?.role !== "assistant" || assistant.stopReason === "error" || assistant.stopReason === "aborted") return [];
  if (messages.slice(last + 1).some(({ role }) => role === "user")) return [];
  const answered = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
  const known = new Map(history.flatMap(({ toolCalls }) => toolCalls).map((call) => [call.callId, call]));
  return assistant.content.flatMap((block) => {
    if (block.type !== "toolCall" || answered.has(block.id)) return [];
    const call = known.get(block.id);
    return [resultOf(block.id, block.name, call?.output ?? "The call was interrupted; it may or may not have taken effect.", call?.isError ?? true, now)];
  });
}

/** Whether Pi's own session lacks prompts that the transcript has: it was not written in time. Pure. */
export function isBehind(entries: readonly StoredEntry[], history: readonly HistoryMessage[]): boolean {
  const prompts = messagesOf(entries).filter(({ role }) => role === "user").length;
  return prompts < history.filter(({ role }) => role === "user").length;
}

/** Ids of all tool calls that a session knows. */
export function* callIdsOf(entries: readonly StoredEntry[], history: readonly HistoryMessage[]): Generator<string> {
  for (const message of messagesOf(entries)) {
    if (message.role === "assistant") for (const block of message.content) if (block.type === "toolCall") yield block.id;
  }
  for (const { toolCalls } of history) for (const { callId } of toolCalls) yield callId;
}

function messagesOf(entries: readonly StoredEntry[]): NativeMessage[] {
  return entries.flatMap(({ type, message }) => (type === "message" && message !== undefined ? [message] : []));
}

function resultOf(callId: string, tool: string, output: string, isError: boolean, now: number): NativeMessage {
  return { role: "toolResult", toolCallId: callId, toolName: tool, content: [{ type: "text", text: output }], isError, timestamp: now };
}
