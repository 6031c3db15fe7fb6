import type { Usage } from "@beeuni/protocol";
import type { WireTokens } from "./types.ts";

export const NO_TOKENS: WireTokens = { total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** Unknown usage is zeros here: the wire has no word for it. The log keeps it apart. */
export function wireTokens(usage: Usage | null | undefined): WireTokens {
  if (usage === null || usage === undefined) return NO_TOKENS;
  const { input, output, reasoning, cacheRead, cacheWrite } = usage;
  return {
    total: input + output + cacheRead + cacheWrite, input, output: Math.max(0, output - reasoning), reasoning,
    cache: { read: cacheRead, write: cacheWrite },
  };
}

export function addTokens(a: WireTokens, b: WireTokens): WireTokens {
  return {
    total: a.total + b.total, input: a.input + b.input, output: a.output + b.output, reasoning: a.reasoning + b.reasoning,
    cache: { read: a.cache.read + b.cache.read, write: a.cache.write + b.cache.write },
  };
}
