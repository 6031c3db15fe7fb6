import { z } from "zod";
import type { Json } from "@beeuni/protocol";
import type { Conversation } from "./conversation.ts";

/** The part of a Chat Completions request that the faux model reads. Everything else is accepted and has no effect. */
const Content = z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).optional();
const Schema = z.record(z.string(), z.json());
const Request = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: Content })).min(1, "must hold at least one message"),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string(), parameters: Schema.optional() }).optional() })).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: z.looseObject({ type: z.string(), json_schema: z.looseObject({ schema: Schema.optional() }).optional() }).nullish(),
});

export interface ChatRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  conversation: Conversation;
  /** Estimate, 4 characters each. */
  promptTokens: number;
}

/** Reads a request body; `error` says what is wrong with it, all of it. */
export function readChatRequest(body: string): { request: ChatRequest } | { error: string } {
  const parsed = Request.safeParse(parse(body));
  if (!parsed.success) return { error: parsed.error.issues.map((issue) => `${issue.path.join(".") || "the body"}: ${issue.message}`).join("; ") };
  const { model, messages, tools, stream, stream_options, response_format } = parsed.data;
  const conversation: Conversation = {
    turns: messages.map(({ role, content }) => ({ role: roleOf(role), text: textOf(content) })),
    tools: (tools ?? []).flatMap((tool) => (tool.function === undefined ? [] : [{ name: tool.function.name, parameters: tool.function.parameters ?? {} }])),
  };
  const json = jsonFormat(response_format);
  if (json !== undefined) conversation.json = json;
  return { request: { model, stream: stream === true, includeUsage: stream_options?.include_usage === true, conversation, promptTokens: Math.ceil(body.length / 4) } };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function roleOf(role: string): Conversation["turns"][number]["role"] {
  return role === "user" || role === "assistant" || role === "tool" ? role : "system";
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("\n");
}

function jsonFormat(format: z.infer<typeof Request>["response_format"]): { [key: string]: Json } | true | undefined {
  if (format?.type === "json_object") return true;
  return format?.type === "json_schema" ? (format.json_schema?.schema ?? true) : undefined;
}
