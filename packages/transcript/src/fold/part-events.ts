import type { Part, TextPart } from "../parts.ts";
import type { Handlers } from "./handler.ts";
import { endRetryWait } from "./turn-events.ts";

export const partEvents: Handlers<"part.updated" | "part.snapshot"> = {
  "part.updated": (session, { part }, draft) => {
    endRetryWait(session);
    const known = draft.part(session.info.id, part.id);
    const kept = known !== undefined && isStreaming(known) && isStreaming(part) ? { ...part, text: laterText(known.text, part.text) } : part;
    draft.putPart(session, kept);
  },
  "part.snapshot": (session, { part: id, text }, draft) => {
    const part = draft.part(session.info.id, id);
    if (part !== undefined && isStreaming(part)) draft.putPart(session, { ...part, text: laterText(part.text, text) });
  },
};

/** A text that may still grow. */
export function isStreaming(part: Part): part is TextPart {
  return (part.type === "text" || part.type === "reasoning") && part.endedAt === undefined;
}

/** A report that only repeats the beginning of the text is older than the deltas that came since: it takes nothing back. */
function laterText(known: string, reported: string): string {
  return known.length > reported.length && known.startsWith(reported) ? known : reported;
}
