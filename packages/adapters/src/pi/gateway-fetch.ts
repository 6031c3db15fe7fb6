// A connection pool of the session's own: closing it leaves no socket behind, which Node's global fetch can't promise.
import { Agent, fetch as poolFetch, type RequestInit as PoolRequestInit } from "undici";

export interface GatewayFetch {
  fetch: typeof fetch;
  close(): Promise<void>;
}

/**
 * A fetch that goes to the session's gateway endpoint and to nothing else, redirects included: whatever the SDK tried,
 * no provider is reached by another way. No time limits: those are the gateway's.
 */
export function gatewayFetch(root: string): GatewayFetch {
  const pool = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 });
  const request = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input).href;
    if (!url.startsWith(`${root}/`)) throw new Error(`refused: model calls go to the session's gateway only, not to ${new URL(url).origin}`);
    return (await poolFetch(url, { ...(init as PoolRequestInit), dispatcher: pool, redirect: "error" })) as unknown as Response;
  };
  return { fetch: request as typeof fetch, close: () => pool.destroy() };
}
