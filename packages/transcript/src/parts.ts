import { z } from "zod";
import { ModelRef, TurnError, Usage } from "@beeuni/protocol";

const partBase = { id: z.string(), session: z.string(), message: z.string() };

/** Why a tool call ended without a result. */
export const ToolFailure = z.enum(["failed", "denied", "rejected", "aborted", "interrupted"]);
export type ToolFailure = z.infer<typeof ToolFailure>;

const toolInput = z.record(z.string(), z.unknown());
const toolMetadata = z.record(z.string(), z.unknown());

/** pending (the model is still writing the call) → running → completed | error. Times are unix milliseconds. */
export const ToolState = z.discriminatedUnion("status", [
  z.object({ status: z.literal("pending"), input: toolInput }),
  z.object({ status: z.literal("running"), input: toolInput, startedAt: z.number(), metadata: toolMetadata.optional() }),
  z.object({
    status: z.literal("completed"), input: toolInput, output: z.string(), metadata: toolMetadata,
    startedAt: z.number(), endedAt: z.number(),
  }),
  z.object({
    status: z.literal("error"), input: toolInput, kind: ToolFailure, error: z.string(), metadata: toolMetadata.optional(),
    startedAt: z.number().optional(), endedAt: z.number(),
  }),
]);
export type ToolState = z.infer<typeof ToolState>;

export const Part = z.discriminatedUnion("type", [
  z.object({ ...partBase, type: z.literal("text"), text: z.string(), startedAt: z.number(), endedAt: z.number().optional() }),
  z.object({ ...partBase, type: z.literal("reasoning"), text: z.string(), startedAt: z.number(), endedAt: z.number().optional() }),
  z.object({ ...partBase, type: z.literal("file"), mime: z.string(), filename: z.string().optional(), url: z.string() }),
  z.object({ ...partBase, type: z.literal("tool"), tool: z.string(), callId: z.string(), state: ToolState }),
]);
export type Part = z.infer<typeof Part>;
export type TextPart = Extract<Part, { type: "text" | "reasoning" }>;
export type ToolPart = Extract<Part, { type: "tool" }>;

export const UserMessage = z.object({
  id: z.string(), session: z.string(), role: z.literal("user"), turn: z.string(), at: z.number(),
  agent: z.string(), model: ModelRef,
});

/** One per model step: a turn with one tool call has two. */
export const AssistantMessage = z.object({
  id: z.string(), session: z.string(), role: z.literal("assistant"), turn: z.string(), at: z.number(),
  /** The user message that the turn answers; undefined in a turn that the harness began by itself. */
  parent: z.string().optional(),
  agent: z.string(), model: ModelRef,
  endedAt: z.number().optional(),
  /** null: the provider's report never came. */
  usage: Usage.nullable().optional(),
  finish: z.string().optional(),
  error: TurnError.optional(),
  /** Provider's id of the response: the surest link to the wire trace. */
  responseId: z.string().optional(),
});
export type UserMessage = z.infer<typeof UserMessage>;
export type AssistantMessage = z.infer<typeof AssistantMessage>;
export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage]);
export type Message = z.infer<typeof Message>;
