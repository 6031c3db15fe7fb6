import type { SessionState } from "@beeuni/transcript";
import { textDigest } from "../text-digest.ts";

/** What an assistant message holds that can be found again in a call's bytes. */
export interface MessageEvidence {
  message: string;
  turn: string;
  responseId: string | null;
  toolCallIds: readonly string[];
  textDigest: string | null;
}

/** Evidence of every assistant message of the session, in order. */
export function messageEvidence(session: SessionState): MessageEvidence[] {
  return session.messages.flatMap(({ info, parts }) => {
    if (info.role !== "assistant") return [];
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return [{
      message: info.id,
      turn: info.turn,
      responseId: info.responseId ?? null,
      toolCallIds: parts.flatMap((part) => (part.type === "tool" ? [part.callId] : [])),
      textDigest: textDigest(text),
    }];
  });
}
