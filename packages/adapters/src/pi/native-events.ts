/**
 * What Pi 1.6.0 reports, as far as it is read here. Only `translate.ts`, the request wrapper and the session file know
 * these shapes; nothing of them leaves this folder.
 */
export type NativeEvent =
  | { type: "agent_start" | "turn_start" }
  | { type: "message_start"; message: NativeMessage }
  | { type: "message_update"; assistantMessageEvent: NativeUpdate; message: NativeMessage }
  | { type: "message_end"; message: NativeMessage }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: unknown }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: unknown; partialResult: { content?: NativeBlock[]; details?: unknown } }
  | { type: "tool_execution_end"; toolCallId: string; toolName: string; result: { content?: NativeBlock[]; details?: unknown }; isError: boolean }
  | { type: "turn_end"; message: NativeMessage }
  | { type: "agent_end"; willRetry?: boolean }
  | { type: "agent_settled"; aborted: boolean }
  | { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
  | { type: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
  | { type: "compaction_start" | "compaction_end" | "queue_update" | "entry_appended" | "thinking_level_changed" };

/** Updates carry the whole message so far, too; only the piece is read. */
export type NativeUpdate =
  | { type: "text_start" | "thinking_start" | "toolcall_start"; contentIndex: number }
  | { type: "text_delta" | "thinking_delta" | "toolcall_delta"; contentIndex: number; delta: string }
  | { type: "text_end" | "thinking_end"; contentIndex: number; content: string }
  | { type: "toolcall_end"; contentIndex: number };

export type NativeBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string }
  | { type: "toolCall"; id: string; name: string; arguments: { [key: string]: unknown } }
  | { type: "image"; data: string; mimeType: string };

export interface NativeUsage { input: number; output: number; cacheRead: number; cacheWrite: number; reasoning?: number; [field: string]: unknown }
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted" | "pending";

export interface AssistantNativeMessage {
  role: "assistant";
  content: NativeBlock[];
  api: string;
  provider: string;
  model: string;
  usage: NativeUsage;
  stopReason: StopReason;
  errorMessage?: string;
  responseId?: string;
  timestamp: number;
}
export type NativeMessage =
  | AssistantNativeMessage
  | { role: "user"; content: string | NativeBlock[]; timestamp: number }
  | { role: "toolResult"; toolCallId: string; toolName: string; content: NativeBlock[]; details?: unknown; isError: boolean; timestamp: number }
  | { role: "system"; content: string; toolsAdded?: { name: string }[]; toolsRemoved?: { name: string }[]; timestamp: number; [field: string]: unknown };
