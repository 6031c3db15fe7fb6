import { addUsage, type Usage } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";

const NOTHING: Usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * Tokens of a turn: the sum over its assistant messages. Null as soon as one message has no report, and null for a
 * turn without messages: unknown is never shown as zero.
 */
export function turnUsage(session: SessionState, turn: string): Usage | null {
  let sum: Usage | null = NOTHING;
  let messages = 0;
  for (const { info } of session.messages) {
    if (info.role !== "assistant" || info.turn !== turn) continue;
    messages++;
    sum = addUsage(sum, info.usage ?? null);
  }
  return messages === 0 ? null : sum;
}
