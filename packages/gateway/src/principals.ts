import { createHash, randomBytes } from "node:crypto";
import type { ProviderModel, Provider } from "./types.ts";
import type { TraceWriter } from "@beeuni/trace";

export interface Routed {
  provider: Provider;
  model: ProviderModel;
}

/** One token's holder while the token is good. */
export interface Holder {
  id: string;
  trace: TraceWriter;
  /** Wire id → where it goes. */
  routes: ReadonlyMap<string, Routed>;
  /** Calls under way. */
  running: Set<RunningCall>;
}

export interface RunningCall {
  /** Ends the call as the client's going would. Resolves when its end is in the trace. */
  abort(why: string): Promise<void>;
}

/**
 * Who may call what. Tokens are kept as digests only: the lookup compares digests, so its time says nothing about a
 * token, and a dump of the table is worth nothing.
 */
export class Principals {
  readonly #holders = new Map<string, Holder>();

  /** A new token for this holder; it is never shown again. */
  admit(holder: Holder): string {
    const token = randomBytes(32).toString("base64url");
    this.#holders.set(digest(token), holder);
    return token;
  }

  find(token: string): Holder | undefined {
    return this.#holders.get(digest(token));
  }

  /** The token stops working now; resolves when the calls that it had under way have ended. */
  async revoke(token: string): Promise<void> {
    const key = digest(token);
    const holder = this.#holders.get(key);
    if (holder === undefined) return;
    this.#holders.delete(key);
    await abortAll(holder, "the session was closed");
  }

  async revokeAll(why: string): Promise<void> {
    const holders = [...this.#holders.values()];
    this.#holders.clear();
    await Promise.all(holders.map((holder) => abortAll(holder, why)));
  }
}

async function abortAll(holder: Holder, why: string): Promise<void> {
  await Promise.all([...holder.running].map((call) => call.abort(why)));
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
