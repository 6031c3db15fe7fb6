import type { TurnError } from "@beeuni/protocol";

/**
 * Sorts the text that Pi keeps of a failed model call: `401: {"error":…}`, `Stream ended without finish_reason`,
 * `Connection error.: connect ECONNREFUSED …`. Pi keeps no more than the text.
 */
export function modelError(text: string): TurnError {
  const status = statusOf(text);
  const code = codeOf(text, status);
  const isBroken = code === "upstream" && status === undefined;
  return { code, message: isBroken ? `The model's answer broke off or never came (${text}).` : messageOf(text), ...(status === undefined ? {} : { status }) };
}

function codeOf(text: string, status: number | undefined): string {
  if (status === 402 || CREDITS.test(text)) return "credits";
  if (status === 429 || /rate.?limit|too many requests/i.test(text)) return "rate_limit";
  if (status === 401 || status === 403) return "auth";
  if (status === 413 || OVERFLOW.test(text)) return "context_length";
  if ((status !== undefined && status >= 500) || BROKEN.test(text)) return "upstream";
  return "unknown";
}

const CREDITS = /insufficient_quota|quota exceeded|billing|out of budget|budget_exhausted|credit balance|insufficient (?:credits|funds)/i;
const OVERFLOW = new RegExp([
  "prompt (?:is )?too long", "prompt exceeds max length", "request_too_large", "input is too long", "exceeds the context window", "context window exceed",
  "context_length_exceeded", "maximum context length", "input token count.*exceeds", "maximum prompt length", "reduce the length of the messages",
  "exceeds the available context size", "greater than the context length", "longer than the model'?s context length", "exceeded model token limit",
].join("|"), "i");
const BROKEN = /ended without|ended before|connection error|fetch failed|socket|terminated|ECONNRE|EPIPE|ETIMEDOUT|timed? ?out|premature|other side closed|network/i;

function statusOf(text: string): number | undefined {
  const match = /^(?:[\w -]+ API error \()?([45]\d\d)\b/.exec(text) ?? /^[45]\d\d(?= status code)/.exec(text);
  return match === null ? undefined : Number(match[1] ?? match[0]);
}

/** The provider's own sentence when the text is a status with a JSON body, else the text. */
function messageOf(text: string): string {
  const body = /^[^{]*?(\{[^]*\})\s*$/.exec(text)?.[1];
  try {
    const { message, error } = JSON.parse(body ?? "") as { message?: unknown; error?: { message?: unknown } };
    const sentence = error?.message ?? message;
    if (typeof sentence === "string" && sentence !== "") return sentence;
  } catch {
    // Not JSON: the text says it all.
  }
  return text;
}
