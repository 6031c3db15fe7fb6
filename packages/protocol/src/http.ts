// zod: one schema per thing on the wire or on disk gives its type, its check and its reference.
import { z } from "zod";
import { PermissionReply, PermissionRule } from "./permission.ts";
import { SessionInfo, SessionStatus } from "./session.ts";

/** Bodies of the session API. Everything else is refused with all problems at once. */
export const CreateSession = z.object({
  title: z.string().max(200).optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  harness: z.string().optional(),
  /** Rules for this session, besides those of its agents. A `deny` holds whatever an agent allows; an `allow` answers what asks. */
  rules: z.array(PermissionRule).optional(),
}).strict();
export type CreateSession = z.infer<typeof CreateSession>;

const partId = z.string().regex(/^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/, "must be a part id (prt_…)").optional();
export const PromptPart = z.discriminatedUnion("type", [
  z.object({ id: partId, type: z.literal("text"), text: z.string() }),
  z.object({ id: partId, type: z.literal("file"), url: z.string(), mime: z.string().default("application/octet-stream"), filename: z.string().optional() }),
]);
export type PromptPart = z.infer<typeof PromptPart>;

export const Prompt = z.object({
  /** Makes the request repeatable: the same id is one prompt. */
  message_id: z.string().regex(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/, "must be a message id (msg_…)").optional(),
  parts: z.array(PromptPart).min(1, "parts must be a non-empty array").max(64),
  agent: z.string().optional(),
  model: z.string().optional(),
  variant: z.string().optional(),
  /** Wait for the turn's end and answer the turn. */
  wait: z.boolean().optional(),
}).strict();
export type Prompt = z.infer<typeof Prompt>;

/** What of a session a person may change while it lives. */
export const UpdateSession = z.object({ title: z.string().max(200).optional(), archivedAt: z.number().int().nonnegative().optional() }).strict();
export type UpdateSession = z.infer<typeof UpdateSession>;

export const PermissionReplyBody = z.object({
  reply: PermissionReply,
  message: z.string().optional(),
  /** Replaces the pattern that "always" stores. */
  always: z.array(z.string()).optional(),
}).strict();
export type PermissionReplyBody = z.infer<typeof PermissionReplyBody>;

export const QuestionReplyBody = z.object({ answers: z.array(z.array(z.string())) }).strict();
export type QuestionReplyBody = z.infer<typeof QuestionReplyBody>;

export const SessionEntry = SessionInfo.extend({ status: SessionStatus, messages: z.number() });
export type SessionEntry = z.infer<typeof SessionEntry>;

/** An agent that a session may be started with. */
export interface AgentInfo {
  name: string;
  description: string;
  mode: "primary" | "subagent" | "all";
  /** `provider/model`; null: the session's. */
  model: string | null;
  /** Sessions start with it when they name none. */
  isDefault: boolean;
}

/** The answer to an accepted prompt. */
export interface PromptAnswer {
  /** Id of the user message. */
  message: string;
  turn: string;
  /** The same message id was accepted before: nothing new was started. */
  deduplicated: boolean;
}
