/**
 * Session functions that a harness may or may not offer, with what each one means. An id is listed in
 * `capabilities` of the health document only when the harness has the method behind it.
 */
export const SESSION_CAPABILITIES = {
  "session.rewind": "rewind to a message and restore it",
  "session.compact": "summarise the conversation",
  "session.commands": "slash commands of the project",
  "session.fork": "fork the session at a message",
  "session.subagents": "sub-agents through the task tool",
  "session.mcp": "MCP servers of the harness's own configuration",
  "session.todo": "a task list",
  "session.shell": "run a shell command as a turn",
  "session.attach": "attach the harness's own terminal client",
  "session.config": "the runtime's configuration document",
} as const;

export type SessionCapability = keyof typeof SESSION_CAPABILITIES;
export const SESSION_CAPABILITY_IDS = Object.keys(SESSION_CAPABILITIES) as SessionCapability[];

/**
 * Whether a runtime offers the function `id`. True before there is a health document (`capabilities` null or
 * undefined), and true for a daemon from before capabilities existed (it lists no `session.*` id at all);
 * otherwise membership decides.
 */
export function runtimeSupports(capabilities: readonly string[] | null | undefined, id: string): boolean {
  if (capabilities === null || capabilities === undefined) return true;
  if (!capabilities.some((capability) => capability.startsWith("session."))) return true;
  return capabilities.includes(id);
}

/** What every session wants of a harness. Shown beside the capabilities; see docs/harnesses.md. */
export const SUPPORT_KEYS = [
  "stream", "abort", "resume", "ask", "deny", "hostTools", "history", "sampling", "steps", "subagents", "wire",
] as const;
export type SupportKey = (typeof SUPPORT_KEYS)[number];
export type SupportLevel = "exact" | "approx" | "none";
/** `reason` is required unless the level is `exact`. */
export interface SupportCell {
  level: SupportLevel;
  reason?: string;
}
export type SupportTable = Record<SupportKey, SupportCell>;
