/**
 * The objects of the OpenCode-compatible session wire, as far as they are made from a session's log. Times are unix
 * milliseconds. Field names are the wire's.
 */
export interface WireTokens {
  total: number;
  input: number;
  /** Without the reasoning tokens, which stand beside it. */
  output: number;
  reasoning: number;
  cache: { read: number; write: number };
}

export interface WireRule {
  permission: string;
  pattern: string;
  action: "allow" | "ask" | "deny";
}

export interface WireSession {
  id: string;
  slug: string;
  projectID: string;
  directory: string;
  path: string;
  parentID?: string;
  title: string;
  agent: string;
  /** Here the model is `id`; in messages it is `modelID`. */
  model: { id: string; providerID: string; variant?: string };
  version: string;
  /** Beeuni knows no prices: always 0. */
  cost: number;
  tokens: WireTokens;
  permission?: WireRule[];
  time: { created: number; updated: number; archived?: number };
}

export type WireStatus = { type: "idle" } | { type: "busy" } | { type: "retry"; attempt: number; message: string; next: number };

export type WireError =
  | { name: "ProviderAuthError"; data: { providerID: string; message: string } }
  | { name: "MessageOutputLengthError"; data: { message: string } }
  | { name: "MessageAbortedError" | "ContextOverflowError" | "UnknownError"; data: { message: string } }
  | { name: "APIError"; data: { message: string; isRetryable: boolean; statusCode?: number } };

export interface WireUserInfo {
  id: string;
  sessionID: string;
  role: "user";
  time: { created: number };
  agent: string;
  model: { providerID: string; modelID: string; variant?: string };
}

export interface WireAssistantInfo {
  id: string;
  sessionID: string;
  role: "assistant";
  time: { created: number; completed?: number };
  parentID: string;
  modelID: string;
  providerID: string;
  variant?: string;
  mode: string;
  agent: string;
  path: { cwd: string; root: string };
  cost: number;
  tokens: WireTokens;
  finish?: string;
  error?: WireError;
}

interface PartBase {
  id: string;
  sessionID: string;
  messageID: string;
}

export type WireToolState =
  | { status: "pending"; input: { [key: string]: unknown }; raw: string }
  | { status: "running"; input: { [key: string]: unknown }; title?: string; metadata?: { [key: string]: unknown }; time: { start: number } }
  | {
    status: "completed"; input: { [key: string]: unknown }; output: string; title: string; metadata: { [key: string]: unknown };
    time: { start: number; end: number };
  }
  | { status: "error"; input: { [key: string]: unknown }; error: string; metadata?: { [key: string]: unknown }; time: { start: number; end: number } };

export type WirePart = PartBase & (
  /** A prompt's text has no time: clients take an ended text for something that was said to the person. */
  | { type: "text" | "reasoning"; text: string; time?: { start: number; end?: number } }
  | { type: "file"; mime: string; filename?: string; url: string }
  | { type: "tool"; callID: string; tool: string; state: WireToolState }
  | { type: "step-start" }
  | { type: "step-finish"; reason: string; cost: number; tokens: WireTokens }
);

export interface WireMessage {
  info: WireUserInfo | WireAssistantInfo;
  parts: WirePart[];
}

interface Asked {
  id: string;
  sessionID: string;
  tool?: { messageID: string; callID: string };
}
export interface WirePermission extends Asked {
  permission: string;
  patterns: string[];
  metadata: { [key: string]: unknown };
  /** What an "always" would store. */
  always: string[];
}
export interface WireQuestion extends Asked {
  questions: { question: string; header: string; options: { label: string; description: string }[]; multiple?: boolean; custom?: boolean }[];
}

type Of<Type extends string, Properties> = { type: Type; properties: { sessionID: string } & Properties };

/** An event of the wire. Whoever sends it gives it its id. */
export type WireEvent =
  | Of<"session.created" | "session.updated" | "session.deleted", { info: WireSession }>
  | Of<"session.status", { status: WireStatus }>
  | Of<"session.idle", unknown>
  | Of<"session.error", { error: WireError }>
  | Of<"message.updated", { info: WireMessage["info"] }>
  | Of<"message.removed", { messageID: string }>
  | Of<"message.part.updated", { part: WirePart; time: number }>
  | Of<"message.part.delta", { messageID: string; partID: string; field: "text"; delta: string }>
  | Of<"message.part.removed", { messageID: string; partID: string }>
  | { type: "permission.asked"; properties: WirePermission }
  | Of<"permission.replied", { requestID: string; reply: "once" | "always" | "reject" }>
  | { type: "question.asked"; properties: WireQuestion }
  | Of<"question.replied", { requestID: string; answers: string[][] }>
  | Of<"question.rejected", { requestID: string }>;

/** What the wire shows and no log holds. */
export interface WireContext {
  projectID: string;
  /** Of the program that serves. */
  version: string;
}
