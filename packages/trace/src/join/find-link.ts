import type { Call, TurnInfo } from "@beeuni/protocol";
import type { StoredCall } from "../stored-call.ts";
import type { MessageEvidence } from "./evidence.ts";
import { inTurn } from "./turn-range.ts";

export type LinkMethod = Call["links"][number]["by"];
export type FoundLink = { call: StoredCall; by: LinkMethod } | { call: null; why: string };

/**
 * The call that produced a message, by what the message and the call's bytes have in common; surest first. More than one
 * match is no match: nothing is ever linked by order or by time.
 *
 * 1. response id · 2. tool-call ids · 3. the same text, among the calls of the message's turn
 */
export function findLink(
  message: MessageEvidence, all: readonly MessageEvidence[], calls: readonly StoredCall[], turns: readonly TurnInfo[],
): FoundLink {
  const turn = turns.find(({ id }) => id === message.turn);
  const tried: string[] = [];
  const byId = (by: LinkMethod, what: string, carries: (call: StoredCall) => boolean, claims: (other: MessageEvidence) => boolean): FoundLink | null => {
    const matches = calls.filter(carries);
    const inside = matches.filter((call) => inTurn(turn, call.number));
    if (inside.length === 1) return { call: inside[0]!, by };
    // A call outside the turn's range: fine for an id that only this turn's messages carry (a harness may begin a call before its
    // turn is known), not for one that an upstream uses again and again.
    const elsewhere = all.some((other) => other.turn !== message.turn && claims(other));
    if (inside.length === 0 && matches.length === 1 && !elsewhere) return { call: matches[0]!, by };
    tried.push(`${what} ${matches.length === 0 ? "is in no call" : `is in ${describe(matches)}`}`);
    return null;
  };

  const { responseId, toolCallIds, textDigest } = message;
  if (responseId !== null) {
    const found = byId("response-id", `response id ${responseId}`, (call) => call.responseId === responseId, (other) => other.responseId === responseId);
    if (found !== null) return found;
  }
  if (toolCallIds.length > 0) {
    const shares = (ids: readonly string[]) => ids.some((id) => toolCallIds.includes(id));
    const what = `tool call ${toolCallIds.join(", ")}`;
    const found = byId("tool-call-id", what, (call) => shares(call.toolCallIds), (other) => shares(other.toolCallIds));
    if (found !== null) return found;
  }
  if (textDigest !== null && turn !== undefined) {
    const matches = calls.filter((call) => inTurn(turn, call.number) && call.textDigest === textDigest);
    const twins = all.filter((other) => other.turn === message.turn && other.textDigest === textDigest).length;
    if (matches.length === 1 && twins === 1) return { call: matches[0]!, by: "turn-and-digest" };
    if (matches.length === 0) tried.push("its text is in no call of its turn");
    else if (matches.length > 1) tried.push(`its text is in ${describe(matches)} of its turn`);
    else tried.push(`${twins} messages of its turn have the same text`);
  }
  if (tried.length === 0) return { call: null, why: "the message has no response id, no tool call and no text" };
  return { call: null, why: tried.join("; ") };
}

function describe(calls: readonly StoredCall[]): string {
  const numbers = calls.map((call) => `#${call.number}`);
  return numbers.length === 1 ? `call ${numbers[0]} only, which is not of its turn` : `calls ${numbers.join(", ")}`;
}
