import type { AssistantMessage, Part } from "../parts.ts";
import { wireTokens } from "./tokens.ts";
import { wireToolState } from "./tool-part.ts";
import type { WirePart } from "./types.ts";

/** `since`: when its message was made. */
export function wirePart(part: Part, since: number): WirePart {
  const base = { id: part.id, sessionID: part.session, messageID: part.message };
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...base, type: part.type, text: part.text, time: { start: part.startedAt, ...(part.endedAt === undefined ? {} : { end: part.endedAt }) } };
    case "file":
      return { ...base, type: "file", mime: part.mime, url: part.url, ...(part.filename === undefined ? {} : { filename: part.filename }) };
    case "tool":
      return { ...base, type: "tool", callID: part.callId, tool: part.tool, state: wireToolState(part, since) };
  }
}

/** Every model step is framed by two parts that the log does not have: their ids are made from the message's. */
export function stepStart({ id, session }: AssistantMessage): WirePart {
  return { id: `prt_${bare(id)}`, sessionID: session, messageID: id, type: "step-start" };
}

export function stepFinish({ id, session, usage }: AssistantMessage, reason: string): WirePart {
  return { id: `prt_${LAST}${bare(id).slice(LAST.length)}`, sessionID: session, messageID: id, type: "step-finish", reason, cost: 0, tokens: wireTokens(usage) };
}

/** Clients order parts by id. A message's own time is before that of all its parts; this is after any. */
const LAST = "f".repeat(12);

function bare(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}
