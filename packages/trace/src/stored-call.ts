import type { Call } from "@beeuni/protocol";
import type { Route } from "./types.ts";

/** A call as the trace alone knows it; `joinCalls` adds the turn and the links. */
export interface StoredCall extends Omit<Call, "turn" | "links"> {
  /** Agent and native session, where the harness's attribution could tell. */
  agent: string | null;
  nativeSession: string | null;
  /** Digest of the assistant's text (`textDigest`), null when there is none. */
  textDigest: string | null;
  /** Upstreams that were asked, in order; more than one means a retry. */
  attempts: Route[];
  /** As recorded: credentials are masked. */
  requestHeaders: [string, string][];
  responseHeaders: [string, string][];
  /** What could not be read and why: damage, an undecodable body. */
  notes: string[];
}
