import type { SessionInfo, SessionStatus } from "@beeuni/protocol";
import type { SessionState } from "../state.ts";
import { addTokens, NO_TOKENS, wireTokens } from "./tokens.ts";
import type { WireContext, WireSession, WireStatus } from "./types.ts";

/** The session object. Its tokens are those of the messages that have ended. */
export function wireSession({ info, messages }: Pick<SessionState, "info" | "messages">, context: WireContext): WireSession {
  const tokens = messages.reduce((sum, { info: { role, ...rest } }) => (role === "assistant" && "usage" in rest ? addTokens(sum, wireTokens(rest.usage)) : sum), NO_TOKENS);
  return wireSessionInfo(info, context, tokens);
}

/** The same from a session's line in a list, without its messages: tokens are 0. */
export function wireSessionInfo(info: SessionInfo, { projectID, version }: WireContext, tokens = NO_TOKENS): WireSession {
  const { provider, id, variant } = info.model;
  return {
    id: info.id, slug: info.id.slice(-8).toLowerCase(), projectID, directory: info.directory, path: "",
    ...(info.parent === undefined ? {} : { parentID: info.parent }),
    title: titleOf(info), agent: info.agent, model: { id, providerID: provider, ...(variant === undefined ? {} : { variant }) },
    version, cost: 0, tokens,
    ...(info.rules === undefined ? {} : { permission: info.rules }),
    time: { created: info.createdAt, updated: info.updatedAt, ...(info.archivedAt === undefined ? {} : { archived: info.archivedAt }) },
  };
}

export function wireStatus(status: SessionStatus): WireStatus {
  if (status.type !== "retry") return { type: status.type };
  return { type: "retry", attempt: status.attempt, message: status.message, next: status.nextAt };
}

/** Clients tell by this form that a session has no title of its own yet. */
function titleOf({ title, parent, createdAt }: SessionInfo): string {
  return title === "" ? `${parent === undefined ? "New" : "Child"} session - ${new Date(createdAt).toISOString()}` : title;
}
