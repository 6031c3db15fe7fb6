import type { Call } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import type { StoredCall } from "../stored-call.ts";
import { messageEvidence } from "./evidence.ts";
import { findLink } from "./find-link.ts";
import { turnOfNumber } from "./turn-range.ts";

/**
 * The calls with their turns and with the messages that they produced. Pure. A call whose bytes prove no message has no
 * link. One call can have several messages (a harness may show one response as several), a message has one call at most.
 */
export function joinCalls(calls: readonly StoredCall[], session: SessionState): Call[] {
  const evidence = messageEvidence(session);
  const links = new Map<number, Call["links"]>();
  const provenTurns = new Map<number, Set<string>>();
  for (const message of evidence) {
    const found = findLink(message, evidence, calls, session.turns);
    if (found.call === null) continue;
    const { number } = found.call;
    links.set(number, [...(links.get(number) ?? []), { message: message.message, by: found.by }]);
    provenTurns.set(number, (provenTurns.get(number) ?? new Set()).add(message.turn));
  }
  return calls.map((call) => {
    const proven = [...(provenTurns.get(call.number) ?? [])];
    const turn = proven.length === 1 ? proven[0]! : turnOfNumber(session.turns, call.number);
    return toCall(call, turn, links.get(call.number) ?? []);
  });
}

function toCall(stored: StoredCall, turn: string | null, links: Call["links"]): Call {
  const { agent: _agent, nativeSession: _native, textDigest: _digest, attempts: _attempts, requestHeaders: _request, responseHeaders: _response, notes: _notes, ...call } = stored;
  return { ...call, turn, links };
}
