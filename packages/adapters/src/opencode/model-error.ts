import type { TurnError } from "@beeuni/protocol";
import type { NativeError } from "./native-events.ts";

/** Sorts what OpenCode keeps of a failed model call: a name, a message, the status and the provider's body. */
export function modelError({ name, data = {} }: NativeError): TurnError {
  const text = data.message ?? name;
  const status = data.statusCode;
  return { code: codeOf(name, `${text} ${data.responseBody ?? ""}`, status), message: text, ...(status === undefined ? {} : { status }) };
}

/** A retry's message is all that is told of the failure. */
export function retryError(message: string): TurnError {
  const status = /\b([45]\d\d)\b/.exec(message)?.[1];
  const code = codeOf("", message, status === undefined ? undefined : Number(status));
  return { code: code === "unknown" ? "upstream" : code, message: `The model's answer broke off or never came (${message}).` };
}

function codeOf(name: string, text: string, status: number | undefined): string {
  if (name === "ContextOverflowError" || status === 413 || OVERFLOW.test(text)) return "context_length";
  if (name === "MessageOutputLengthError") return "output_length";
  if (status === 402 || CREDITS.test(text)) return "credits";
  if (status === 429 || /rate.?limit|too many requests/i.test(text)) return "rate_limit";
  if (name === "ProviderAuthError" || status === 401 || status === 403) return "auth";
  if ((status !== undefined && status >= 500) || BROKEN.test(text)) return "upstream";
  return "unknown";
}

const CREDITS = /insufficient.?quota|quota exceeded|out of budget|budget_exhausted|credit balance|insufficient (?:credits|funds)/i;
const OVERFLOW = /prompt (?:is )?too long|request_too_large|exceeds the context window|context.?length.?exceeded|maximum context length|input is too long/i;
const BROKEN = /overloaded|unavailable|connection|socket|fetch|terminated|network|ECONN|EPIPE|timed? ?out|premature|closed|aborted unexpectedly/i;
