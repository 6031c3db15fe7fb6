import type { HeaderPair } from "./upstream.ts";

/** Headers that concern one connection only (RFC 9110 §7.6.1), and those that the sender of the next one sets itself. */
const HOP_BY_HOP = new Set([
  "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
]);
const OWN_ON_REQUEST = new Set(["host", "content-length", "expect"]);
/** What a client authenticates with. The gateway's client holds a token in its path; these are dummies or not ours to pass on. */
const CREDENTIALS = new Set(["authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"]);

/** Pairs out of Node's flat list (name, value, name, value …). */
export function pairHeaders(flat: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at]!, flat[at + 1]!]);
  return pairs;
}

/**
 * The client's headers as they go to the provider: hop-by-hop and credential headers gone, `added` (the provider's key
 * and its further headers) in place of any of the same name. All others keep their order and their spelling.
 */
export function requestHeaders(received: readonly HeaderPair[], added: readonly HeaderPair[]): HeaderPair[] {
  const replaced = new Set(added.map(([name]) => name.toLowerCase()));
  const dropped = connectionNames(received);
  const kept = received.filter(([name]) => {
    const key = name.toLowerCase();
    return !HOP_BY_HOP.has(key) && !OWN_ON_REQUEST.has(key) && !CREDENTIALS.has(key) && !replaced.has(key) && !dropped.has(key);
  });
  return [...kept, ...added];
}

/** The provider's headers as they go to the client: hop-by-hop ones and cookies gone. */
export function responseHeaders(received: readonly HeaderPair[]): HeaderPair[] {
  const dropped = connectionNames(received);
  return received.filter(([name]) => {
    const key = name.toLowerCase();
    return !HOP_BY_HOP.has(key) && key !== "set-cookie" && !dropped.has(key);
  });
}

/** The same pairs; where a value holds one of the secrets, as many `*` stand for it: a provider that echoes its key tells nobody. */
export function withoutSecrets(headers: readonly HeaderPair[], secrets: readonly string[]): HeaderPair[] {
  return headers.map(([name, value]) => [name, secrets.reduce((text, secret) => text.replaceAll(secret, "*".repeat(secret.length)), value)]);
}

/** A reason phrase that may be sent on: none in place of one that HTTP does not allow. */
export function reasonPhrase(received: string): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(received) ? received : "";
}

/** First value of a header by its lower-case name. */
export function headerValue(headers: readonly HeaderPair[], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Names that a Connection header lists: hop-by-hop by the sender's own word. */
function connectionNames(headers: readonly HeaderPair[]): ReadonlySet<string> {
  const names = headers.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) => value.split(","));
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
