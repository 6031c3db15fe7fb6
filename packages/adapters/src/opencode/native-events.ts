/**
 * What OpenCode 1.18 reports on `GET /event` and answers on its routes, as far as it is read here. Nothing of these shapes
 * leaves this folder.
 */
export type NativeEvent =
  | { type: "session.created"; properties: { sessionID: string; info: { id: string; parentID?: string } } }
  | { type: "session.status"; properties: { sessionID: string; status: NativeStatus } }
  | { type: "session.error"; properties: { sessionID?: string; error?: NativeError } }
  | { type: "session.compacted"; properties: { sessionID: string } }
  | { type: "message.updated"; properties: { sessionID: string; info: NativeMessage } }
  | { type: "message.part.updated"; properties: { sessionID: string; part: NativePart } }
  | { type: "message.part.delta"; properties: { sessionID: string; messageID: string; partID: string; field: string; delta: string } }
  | { type: "permission.asked"; properties: NativePermission }
  | { type: "question.asked"; properties: NativeQuestion }
  | { type: OtherType; properties: unknown };

/** Types that come and mean nothing to a session of ours. */
type OtherType = "server.connected" | "server.heartbeat" | "session.idle" | "session.updated" | "session.diff" | "todo.updated" | "permission.replied" | "question.replied";

export type NativeStatus =
  | { type: "idle" | "busy" }
  /** `next` is a time, in milliseconds. */
  | { type: "retry"; attempt: number; message: string; next: number };

export interface NativeError { name: string; data?: { message?: string; statusCode?: number; responseBody?: string; [field: string]: unknown } }

export interface NativeTokens { total?: number; input: number; output: number; reasoning: number; cache: { read: number; write: number } }

export type NativeMessage =
  | { role: "user"; id: string; sessionID: string; agent: string; model: { providerID: string; modelID: string }; time: { created: number } }
  | {
    role: "assistant"; id: string; sessionID: string; parentID: string; agent: string; providerID: string; modelID: string;
    time: { created: number; completed?: number }; tokens: NativeTokens; finish?: string; error?: NativeError;
    /** It is the summary of a compaction, not an answer. */
    summary?: boolean;
  };
export type NativeAssistant = Extract<NativeMessage, { role: "assistant" }>;

interface PartBase { id: string; sessionID: string; messageID: string }
export type NativePart =
  | (PartBase & { type: "text" | "reasoning"; text: string; time?: { start: number; end?: number }; synthetic?: boolean; metadata?: { [key: string]: unknown } })
  | (PartBase & { type: "tool"; tool: string; callID: string; state: NativeToolState })
  | (PartBase & { type: "step-start" | "step-finish" | "patch" | "file" | "compaction" | "subtask" | "snapshot" | "agent" | "retry" });
export type NativeToolPart = Extract<NativePart, { type: "tool" }>;

type Fields = { [key: string]: unknown };
export type NativeToolState =
  | { status: "pending"; input: Fields }
  | { status: "running"; input: Fields; title?: string; metadata?: Fields }
  | { status: "completed"; input: Fields; output: string; title?: string; metadata?: Fields }
  | { status: "error"; input: Fields; error: string; metadata?: Fields };

export interface NativePermission {
  id: string;
  sessionID: string;
  permission: string;
  patterns: string[];
  metadata: Fields;
  tool?: { messageID: string; callID: string };
}

export interface NativeQuestion {
  id: string;
  sessionID: string;
  questions: { question: string; header: string; options: { label: string; description: string }[]; multiple?: boolean; custom?: boolean }[];
  tool?: { messageID: string; callID: string };
}

export interface NativeSession { id: string; title: string; directory: string; parentID?: string }
export interface StoredMessage { info: NativeMessage; parts: NativePart[] }
