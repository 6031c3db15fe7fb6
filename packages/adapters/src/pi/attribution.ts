import { GATEWAY } from "./models.ts";

/** Whose call a model request was, as far as the request itself tells. */
export interface CallAttribution {
  /** The harness's own session id; null when the request does not carry it. */
  nativeSession: string | null;
  /** Set for a sub-agent's call. */
  parent: string | null;
  agent: string | null;
  role: "main" | "sub" | "utility" | "unknown";
}

/**
 * Pi has one conversation per session and makes no calls beside it (titles, warming and compaction are off), so a request
 * of Pi's client under the session's token is the turn's own. Anything else is not Pi's. Pure; header names in lower case.
 */
export function attribute(head: { headers: { readonly [name: string]: string | undefined } }): CallAttribution {
  const { headers } = head;
  const isPi = /^pi\/\d/.test(headers["user-agent"] ?? "") && [headers["authorization"], headers["x-api-key"]].some((key) => key?.endsWith(GATEWAY));
  return { nativeSession: null, parent: null, agent: null, role: isPi ? "main" : "unknown" };
}
