import type { EventType, LogEvent } from "../events.ts";
import type { SessionState } from "../state.ts";
import type { Draft } from "./draft.ts";

export type EventOf<K extends EventType> = Extract<LogEvent, { type: K }>;
/** What one event does to its session. Never throws; an event about something unknown does nothing. */
export type Handler<K extends EventType> = (session: SessionState, event: EventOf<K>, draft: Draft) => void;
export type Handlers<K extends EventType> = { [T in K]: Handler<T> };

/** Later activity moves the session's `updatedAt`; the mere opening of it doesn't. */
export function touch(session: SessionState, at: number, draft: Draft): void {
  session.info = draft.own(session.info);
  session.info.updatedAt = Math.max(session.info.updatedAt, at);
}
