import type { Part } from "../parts.ts";
import type { SessionState } from "../state.ts";
import { wireMessageAt } from "./message.ts";
import { UNWRITTEN } from "./tool-part.ts";
import type { WireEvent, WireMessage, WirePart } from "./types.ts";

/** What changed of one message between two folds: its info when it is new, its parts, its info. */
export function changedMessage(was: SessionState | undefined, session: SessionState, id: string, at: number): WireEvent[] {
  const now = find(session, id);
  if (now === undefined) return [];
  const before = was === undefined ? undefined : find(was, id);
  const infos = infoChanges(before?.wire, now.wire);
  return [...(before === undefined ? infos : []), ...partChanges(before, now, at), ...(before === undefined ? [] : infos)];
}

interface Found {
  wire: WireMessage;
  /** The parts that the log holds, by id. */
  parts: ReadonlyMap<string, Part>;
}

function find(session: SessionState, id: string): Found | undefined {
  const at = session.messages.findLastIndex(({ info }) => info.id === id);
  if (at === -1) return undefined;
  return { wire: wireMessageAt(session, at), parts: new Map(session.messages[at]!.parts.map((part) => [part.id, part])) };
}

/**
 * New and changed parts in their order, then those that are gone. A part that the log did not touch is the same object. A
 * call begins pending on the wire.
 */
function partChanges(before: Found | undefined, now: Found, at: number): WireEvent[] {
  const { id: messageID, sessionID } = now.wire.info;
  const known = new Map(before?.wire.parts.map((part) => [part.id, part]));
  const changed = now.wire.parts.filter((part) => {
    const stored = now.parts.get(part.id);
    return stored === undefined ? !same(known.get(part.id), part) : before?.parts.get(part.id) !== stored;
  });
  const updated = (part: WirePart): WireEvent => ({ type: "message.part.updated", properties: { sessionID, part, time: at } });
  const gone = [...known.keys()].filter((id) => !now.wire.parts.some((part) => part.id === id));
  return [
    ...changed.flatMap((part) => (part.type === "tool" && !known.has(part.id) ? [updated({ ...part, state: UNWRITTEN }), updated(part)] : [updated(part)])),
    ...gone.map((partID): WireEvent => ({ type: "message.part.removed", properties: { sessionID, messageID, partID } })),
  ];
}

/** A step that went well is told twice: how it finished, and that it is over. */
function infoChanges(before: WireMessage | undefined, { info }: WireMessage): WireEvent[] {
  if (same(before?.info, info)) return [];
  const updated = (shown: WireMessage["info"]): WireEvent => ({ type: "message.updated", properties: { sessionID: info.sessionID, info: shown } });
  const ends = before?.info.role === "assistant" && before.info.time.completed === undefined && info.role === "assistant" && info.finish !== undefined;
  return ends ? [updated({ ...info, time: { created: info.time.created } }), updated(info)] : [updated(info)];
}

/** Both are plain data, made by the same code in the same order of fields. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
