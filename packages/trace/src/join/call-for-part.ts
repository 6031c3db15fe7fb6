import type { Call } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import type { StoredCall } from "../stored-call.ts";
import { messageEvidence } from "./evidence.ts";
import { findLink } from "./find-link.ts";
import { joinCalls } from "./join-calls.ts";

/** The call, or that it is unknown and why; never a guess. */
export type CallOfPart = { call: Call } | { unknown: true; why: string };

/** From something on the screen, a message or one of its parts, to the model call that produced it. */
export function callForPart(calls: readonly StoredCall[], session: SessionState, id: string): CallOfPart {
  const entry = session.messages.find(({ info, parts }) => info.id === id || parts.some((part) => part.id === id));
  if (entry === undefined) return { unknown: true, why: `session ${session.info.id} has no message and no part ${id}` };
  if (entry.info.role === "user") return { unknown: true, why: `${id} is of a user message: no model call produced it` };
  const evidence = messageEvidence(session);
  const message = evidence.find((candidate) => candidate.message === entry.info.id)!;
  const found = findLink(message, evidence, calls, session.turns);
  if (found.call === null) return { unknown: true, why: found.why };
  const { number } = found.call;
  return { call: joinCalls(calls, session).find((call) => call.number === number)! };
}
