import type { EventType, LogEvent } from "../events.ts";
import type { Draft } from "./draft.ts";
import type { Handler, Handlers } from "./handler.ts";
import { interactionEvents } from "./interaction-events.ts";
import { messageEvents } from "./message-events.ts";
import { partEvents } from "./part-events.ts";
import { sessionCreated, sessionEvents } from "./session-events.ts";
import { turnEvents } from "./turn-events.ts";

const handlers: Handlers<Exclude<EventType, "session.created">> = {
  ...sessionEvents, ...turnEvents, ...messageEvents, ...partEvents, ...interactionEvents,
};
const byType: ReadonlyMap<string, Handler<EventType>> = new Map(Object.entries(handlers) as [string, never][]);

/**
 * Folds one event in. An event whose number is not above the state's changes nothing; the number 0 marks an event that is
 * not in the log (a stream's `part.snapshot` for a part in flight): it always counts and moves no number.
 */
export function applyEvent(draft: Draft, event: LogEvent): void {
  const { seq } = draft.peek;
  if (event.seq !== 0 && event.seq <= seq) return;
  if (event.seq !== 0) {
    const tree = draft.tree();
    tree.seq = event.seq;
    tree.at = Math.max(tree.at, event.at);
  }
  if (event.type === "session.created") return sessionCreated(event, draft);
  const handler = byType.get(event.type);
  if (handler === undefined) return;
  const session = draft.session(event.session);
  if (session !== undefined) handler(session, event, draft);
}
