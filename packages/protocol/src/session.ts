import { z } from "zod";
import { ModelRef, Usage } from "./model.ts";
import { PermissionRule } from "./permission.ts";

export const TurnOrigin = z.enum(["user", "harness", "trigger"]);
export type TurnOrigin = z.infer<typeof TurnOrigin>;

/** How a turn ended. `interrupted`: the process died under it. */
export const TurnOutcome = z.enum(["completed", "aborted", "failed", "interrupted"]);
export type TurnOutcome = z.infer<typeof TurnOutcome>;

export const TurnError = z.object({
  /** auth, rate_limit, credits, context_length, output_length, steps, upstream, harness, unknown */
  code: z.string(),
  message: z.string(),
  status: z.number().optional(),
});
export type TurnError = z.infer<typeof TurnError>;

/** What a session is, as every list and the log's first line show it. */
export const SessionInfo = z.object({
  id: z.string(),
  /** The session that started this one (sub-agent or fork), else undefined. */
  parent: z.string().optional(),
  title: z.string(),
  /** Absolute path of the workspace. */
  directory: z.string(),
  agent: z.string(),
  model: ModelRef,
  harness: z.string(),
  /** What whoever made the session forbids or wants to be asked for, besides the rules of its agents. */
  rules: z.array(PermissionRule).optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Put away by a person; it stays in every list. */
  archivedAt: z.number().optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

export const SessionStatus = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({ type: z.literal("busy"), turn: z.string() }),
  z.object({ type: z.literal("retry"), turn: z.string(), attempt: z.number(), message: z.string(), nextAt: z.number() }),
]);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** One finished or running turn. */
export const TurnInfo = z.object({
  id: z.string(),
  session: z.string(),
  origin: TurnOrigin,
  /** The user message that started it; undefined for a turn that the harness began by itself. */
  prompt: z.string().optional(),
  agent: z.string(),
  model: ModelRef,
  startedAt: z.number(),
  endedAt: z.number().optional(),
  outcome: TurnOutcome.optional(),
  error: TurnError.optional(),
  usage: Usage.nullable().optional(),
  /** The calls of the session's wire trace that fell into this turn: [from, to) call numbers. */
  calls: z.tuple([z.number(), z.number()]).optional(),
});
export type TurnInfo = z.infer<typeof TurnInfo>;
