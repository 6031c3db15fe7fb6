import { BeeuniError, type HarnessDecision } from "@beeuni/protocol";
import type { Harness } from "@beeuni/harness";
import type { Notice } from "../plan/session-plan.ts";

/**
 * Another harness than before takes a session over: the conversation goes with it as text, and that is recorded. One that
 * can't be told a conversation is refused. Null when nothing has to be carried.
 */
export function carryOver(before: string | null, harness: Harness, decision: HarnessDecision, messages: number): Notice | null {
  if (before === null || before === harness.id || messages === 0) return null;
  const { history } = harness.support();
  if (history.level === "none") {
    throw new BeeuniError("harness_unavailable", `this session ran on ${before}, and ${harness.id} (${decision.reason}) can't take its conversation over: ${history.reason ?? "it can't be told a history"}`, {
      hint: `go on with --harness ${before}, or start a new session`,
    });
  }
  return {
    level: "info", code: "harness_changed",
    message: `This session ran on ${before} and goes on with ${harness.id} (${decision.reason}). The conversation was carried over as text.`,
  };
}
