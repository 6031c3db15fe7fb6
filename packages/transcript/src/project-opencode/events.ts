import type { LogEvent, PartDelta } from "../events.ts";
import { isStreaming } from "../fold/part-events.ts";
import type { Part } from "../parts.ts";
import type { SessionState, TreeState } from "../state.ts";
import { wireError } from "./error.ts";
import { answerlessTurn, turnError } from "./message.ts";
import { changedMessage } from "./message-changes.ts";
import { wirePermission, wireQuestion } from "./request.ts";
import { wireSession, wireStatus } from "./session.ts";
import type { WireContext, WireEvent } from "./types.ts";

/**
 * What one event of the log is on the wire: none, one or several events. Pure; `before` and `after` are the folds without
 * and with it. A client that keeps what it is told ends with what the projection of the whole state shows.
 */
export function wireEvents(before: TreeState, event: LogEvent, after: TreeState, context: WireContext): WireEvent[] {
  const was = before.sessions[event.session];
  const session = after.sessions[event.session];
  if (session === undefined) return [];
  const sessionID = event.session;
  switch (event.type) {
    case "session.created":
      return was === undefined ? [{ type: "session.created", properties: { sessionID, info: wireSession(session, context) } }] : [];
    case "session.updated":
      return [updated(session, context)];
    case "session.deleted":
      return [{ type: "session.deleted", properties: { sessionID, info: wireSession(session, context) } }];
    case "turn.started":
      return [updated(session, context), status(session)];
    case "turn.retry":
      return [status(session)];
    case "turn.ended":
      return [...turnEnded(was, session, event), updated(session, context), ...over(session)];
    case "message.created":
    case "message.updated": {
      const id = event.type === "message.created" ? event.message.id : event.message;
      const isAnswer = event.type === "message.created" && event.message.role === "assistant" && session.status.type === "busy";
      return [...(isAnswer ? [status(session)] : []), ...changedMessage(was, session, id, event.at)];
    }
    case "message.removed":
      return [{ type: "message.removed", properties: { sessionID, messageID: event.message } }];
    case "part.updated":
      return [...(was?.status.type === "retry" && session.status.type === "busy" ? [status(session)] : []), ...changedMessage(was, session, event.part.message, event.at)];
    case "part.snapshot":
      return snapshot(was, session, event);
    case "permission.asked":
      return [{ type: "permission.asked", properties: wirePermission(event.request) }];
    case "permission.replied": {
      const asked = was?.permissions.find(({ id }) => id === event.id);
      return asked === undefined ? [] : [{ type: "permission.replied", properties: { sessionID: asked.session, requestID: event.id, reply: event.reply } }];
    }
    case "question.asked":
      return [{ type: "question.asked", properties: wireQuestion(event.request) }];
    case "question.replied":
    case "question.rejected": {
      const asked = was?.questions.find(({ id }) => id === event.id);
      if (asked === undefined) return [];
      const properties = { sessionID: asked.session, requestID: event.id };
      return [event.type === "question.replied" ? { type: event.type, properties: { ...properties, answers: event.answers } } : { type: event.type, properties }];
    }
    case "session.opened":
    case "session.recovered":
    case "session.notice":
    case "turn.aborting":
      return [];
  }
}

/** More text of a part. What the state has of it already is left out. */
export function wireDelta(before: TreeState, { session, part }: Pick<PartDelta, "session" | "part">, after: TreeState): WireEvent[] {
  const [was, now] = [before, after].map(({ sessions }) => findPart(sessions[session], part));
  if (was === undefined || now === undefined || !isStreaming(now) || !isStreaming(was)) return [];
  const delta = now.text.slice(was.text.length);
  return delta === "" ? [] : [{ type: "message.part.delta", properties: { sessionID: session, messageID: now.message, partID: part, field: "text", delta } }];
}

/** A snapshot is ahead of the deltas when one of them was lost or overtaken. */
function snapshot(was: SessionState | undefined, session: SessionState, { part, at }: { part: string; at: number }): WireEvent[] {
  const [known, now] = [findPart(was, part), findPart(session, part)];
  if (known === now || now === undefined || !isStreaming(now)) return [];
  if (known === undefined || !isStreaming(known) || !now.text.startsWith(known.text)) return changedMessage(was, session, now.message, at);
  const delta = now.text.slice(known.text.length);
  return delta === "" ? [] : [{ type: "message.part.delta", properties: { sessionID: now.session, messageID: now.message, partID: part, field: "text", delta } }];
}

/** The turn's failure goes onto its last message, or onto one that stands in for it; then it is told by itself. */
function turnEnded(was: SessionState | undefined, session: SessionState, { turn: id, at }: { turn: string; at: number }): WireEvent[] {
  const turn = session.turns.findLast((known) => known.id === id);
  if (turn === undefined) return [];
  const sessionID = session.info.id;
  const last = session.messages.findLast(({ info }) => info.role === "assistant" && info.turn === id);
  const shown = last === undefined ? answerlessTurn(session, turn) : undefined;
  const error = turnError(turn);
  return [
    ...(last === undefined ? [] : changedMessage(was, session, last.info.id, at)),
    ...(shown === undefined ? [] : [{ type: "message.updated" as const, properties: { sessionID, info: shown.info } }]),
    ...(error === undefined ? [] : [{ type: "session.error" as const, properties: { sessionID, error: wireError(error, turn.model.provider) } }]),
  ];
}

function updated(session: SessionState, context: WireContext): WireEvent {
  return { type: "session.updated", properties: { sessionID: session.info.id, info: wireSession(session, context) } };
}

function status({ info, status: now }: SessionState): WireEvent {
  return { type: "session.status", properties: { sessionID: info.id, status: wireStatus(now) } };
}

/** A turn inside of another one that goes on leaves the session busy. */
function over(session: SessionState): WireEvent[] {
  return session.status.type === "idle" ? [status(session), { type: "session.idle", properties: { sessionID: session.info.id } }] : [];
}

/** From the end: parts that change are nearly always of the last message. */
function findPart(session: SessionState | undefined, id: string): Part | undefined {
  for (let at = (session?.messages.length ?? 0) - 1; at >= 0; at--) {
    const found = session!.messages[at]!.parts.findLast((part) => part.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}
