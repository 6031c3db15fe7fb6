import type { Json } from "@beeuni/protocol";

/** A model request as the script sees it, whatever protocol it came in. */
export interface Conversation {
  turns: { role: "system" | "user" | "assistant" | "tool"; text: string }[];
  tools: ToolSchema[];
  /** JSON was asked for: its schema, or `true` for any object. */
  json?: { [key: string]: Json } | true;
}

export interface ToolSchema {
  name: string;
  parameters: { [key: string]: Json };
}

/** What is answered, before any protocol writes it. */
export type Reply =
  | { kind: "message"; pause: number; think: string; text: string; calls: { name: string; arguments: string }[]; cut: boolean }
  | { kind: "error"; status: number; message: string; retryAfter: number | null }
  | { kind: "hang" };
