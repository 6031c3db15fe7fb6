import type { AttributeCall } from "@beeuni/protocol";
import { isInternalAgent } from "./names.ts";
import { AGENT_HEADER } from "./plugin.ts";

/**
 * OpenCode says in each request which of its sessions called, and whose child that is; our plugin adds the agent. Titles and
 * summaries are written by agents of OpenCode's own. A request without a session id is not OpenCode's. Pure.
 */
export const attribute: AttributeCall = ({ headers }) => {
  const header = (name: string): string | undefined => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const nativeSession = header("x-session-id");
  if (nativeSession === undefined) return { role: "unknown" };
  const agent = decoded(header(AGENT_HEADER));
  if (agent !== undefined && isInternalAgent(agent)) return { role: "utility", agent, nativeSession };
  return { role: header("x-parent-session-id") === undefined ? "main" : "sub", ...(agent === undefined ? {} : { agent }), nativeSession };
};

function decoded(value: string | undefined): string | undefined {
  try {
    return value === undefined || value === "" ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
