import type { ModelProtocol } from "@beeuni/protocol";

/** What a request asks for. `query` begins with `?` or is empty. */
export type Target =
  | { kind: "call"; token: string; protocol: ModelProtocol; path: string; query: string; masked: string }
  | { kind: "models"; token: string; model: string | undefined; masked: string }
  /** A good prefix with a path that is none of ours. */
  | { kind: "unknown"; token: string | undefined; protocol: ModelProtocol; masked: string };

const CALLS: { readonly [path: string]: ModelProtocol } = {
  "/chat/completions": "chat-completions",
  "/responses": "responses",
  "/messages": "messages",
  "/messages/count_tokens": "messages",
};

const PREFIX = /^\/s\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

/** Reads a request target. `masked` is the target with the token replaced by `***`, the only form that may be shown. */
export function parseTarget(target: string): Target {
  const match = PREFIX.exec(target);
  if (match === null) return { kind: "unknown", token: undefined, protocol: "chat-completions", masked: "***" };
  const [, token = "", rest = "", query = ""] = match;
  const masked = `/s/***${rest}${query}`;
  const path = rest.startsWith("/v1/") ? rest.slice(3) : "";
  const protocol = Object.hasOwn(CALLS, path) ? CALLS[path] : undefined;
  if (protocol !== undefined) return { kind: "call", token, protocol, path, query, masked };
  if (path === "/models") return { kind: "models", token, model: undefined, masked };
  if (path.startsWith("/models/")) return { kind: "models", token, model: decode(path.slice("/models/".length)), masked };
  return { kind: "unknown", token, protocol: path.startsWith("/messages") ? "messages" : "chat-completions", masked };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether a Host or Origin header names this machine or one of `names`. A web page that had its own name point to
 * loopback sends a foreign one.
 */
export function isOwnHost(host: string | undefined, names: readonly string[] = []): boolean {
  if (host === undefined) return false;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return LOOPBACK_NAMES.includes(name) || names.includes(name);
}

export function isOwnOrigin(origin: string | undefined, names: readonly string[] = []): boolean {
  return origin === undefined || (URL.canParse(origin) && isOwnHost(new URL(origin).host, names));
}
