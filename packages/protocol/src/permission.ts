import { z } from "zod";

export const PermissionAction = z.enum(["allow", "ask", "deny"]);
export type PermissionAction = z.infer<typeof PermissionAction>;

/** One rule of an agent: which permission key, which subjects (a glob), what happens. */
export const PermissionRule = z.object({ permission: z.string(), pattern: z.string(), action: PermissionAction });
export type PermissionRule = z.infer<typeof PermissionRule>;

/** Who makes a rule hold: the host (exactly), the harness (by its own configuration), or nobody. */
export const Enforcer = z.enum(["host", "harness", "nobody"]);
export type Enforcer = z.infer<typeof Enforcer>;
export const EnforcedRule = PermissionRule.extend({ enforcer: Enforcer, reason: z.string().optional() });
export type EnforcedRule = z.infer<typeof EnforcedRule>;

/** An open permission request of a tool call. */
export const PermissionRequest = z.object({
  id: z.string(),
  session: z.string(),
  turn: z.string(),
  /** Whose rules asked; an "always" holds for this agent. */
  agent: z.string(),
  /** The permission key that asked, e.g. `bash`. */
  permission: z.string(),
  tool: z.string(),
  /** What the rule was tested against: the command, the path. Empty when the tool has no subject. */
  patterns: z.array(z.string()),
  /** What an "always" would store, shown before it is chosen. */
  always: z.array(z.string()),
  /** The tool's arguments. */
  metadata: z.record(z.string(), z.unknown()),
  call: z.object({ message: z.string(), part: z.string(), callId: z.string() }).optional(),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export const PermissionReply = z.enum(["once", "always", "reject"]);
export type PermissionReply = z.infer<typeof PermissionReply>;

export const QuestionItem = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().default("") })),
  multiple: z.boolean().optional(),
  custom: z.boolean().optional(),
});
export type QuestionItem = z.infer<typeof QuestionItem>;

export const QuestionRequest = z.object({
  id: z.string(),
  session: z.string(),
  turn: z.string(),
  questions: z.array(QuestionItem).min(1),
  call: z.object({ message: z.string(), part: z.string(), callId: z.string() }).optional(),
});
export type QuestionRequest = z.infer<typeof QuestionRequest>;
