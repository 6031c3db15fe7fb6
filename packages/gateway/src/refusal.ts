import type { ModelProtocol } from "@beeuni/protocol";

/** An answer of the gateway's own, in the error shape that a client of the protocol understands. */
export interface Refusal {
  status: number;
  /** Stable, e.g. `model_not_found`. */
  code: string;
  /** What is wrong and what to do, for people. */
  message: string;
  /** Seconds; becomes a `retry-after` header. */
  retryAfter?: number;
}

/** Error types by status, as the two families of APIs name them. */
const OPENAI_TYPES: { readonly [status: number]: string } = {
  429: "rate_limit_error", 500: "server_error", 502: "server_error", 503: "server_error", 507: "server_error", 529: "server_error",
};
const ANTHROPIC_TYPES: { readonly [status: number]: string } = {
  401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
  500: "api_error", 502: "api_error", 503: "api_error", 507: "api_error", 529: "overloaded_error",
};

export function encodeRefusal(protocol: ModelProtocol, refusal: Refusal): { headers: [string, string][]; body: Buffer } {
  const { status, code, message } = refusal;
  const value = protocol === "messages"
    ? { type: "error", error: { type: ANTHROPIC_TYPES[status] ?? "invalid_request_error", message } }
    : { error: { message, type: OPENAI_TYPES[status] ?? "invalid_request_error", param: code === "model_not_found" ? "model" : null, code } };
  const body = Buffer.from(JSON.stringify(value));
  const headers: [string, string][] = [["content-type", "application/json"], ["content-length", String(body.length)]];
  if (refusal.retryAfter !== undefined) headers.push(["retry-after", String(refusal.retryAfter)]);
  return { headers, body };
}
