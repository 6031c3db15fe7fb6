import type { TurnError } from "@beeuni/protocol";
import type { WireError } from "./types.ts";

/** Model failures that the same request may survive when it is made again. */
const RETRYABLE = new Set(["rate_limit", "upstream"]);

/** A turn's or a message's error under the names that clients of the wire know. */
export function wireError({ code, message, status }: TurnError, providerID: string): WireError {
  switch (code) {
    case "auth":
      return { name: "ProviderAuthError", data: { providerID, message } };
    case "aborted":
    case "interrupted":
      return { name: "MessageAbortedError", data: { message } };
    case "output_length":
      return { name: "MessageOutputLengthError", data: { message } };
    case "context_length":
      return { name: "ContextOverflowError", data: { message } };
    case "rate_limit":
    case "credits":
    case "upstream":
      return { name: "APIError", data: { message, isRetryable: RETRYABLE.has(code), ...(status === undefined ? {} : { statusCode: status }) } };
    default:
      return { name: "UnknownError", data: { message } };
  }
}
