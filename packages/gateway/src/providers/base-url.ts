import type { ModelProtocol } from "@beeuni/protocol";

export type BaseUrl = { url: string; warning?: string } | { error: string };

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Checks a base URL and gives it a version segment where the protocol's clients are used to leave it out. Messages never
 * repeat the text: people put keys into it.
 */
export function readBaseUrl(text: string, protocols: readonly ModelProtocol[], hasKey: boolean): BaseUrl {
  if (!URL.canParse(text)) return { error: "is not a URL, e.g. https://host/v1" };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { error: "must begin with http:// or https://" };
  if (url.username !== "" || url.password !== "") return { error: "must not hold a user or a password; put the key into apiKey" };
  if (url.search !== "" || url.hash !== "") return { error: "must not hold a query or a fragment" };
  let path = url.pathname.replace(/\/+$/, "");
  if (protocols.every((protocol) => protocol === "messages") && !/\/v\d+[a-z0-9]*$/.test(path)) path += "/v1";
  const base = url.origin + path;
  if (hasKey && url.protocol === "http:" && !LOOPBACK.test(url.hostname)) return { url: base, warning: `sends the key in clear text to ${url.hostname}; use https` };
  return { url: base };
}
