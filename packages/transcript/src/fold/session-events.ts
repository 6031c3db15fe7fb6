import { type Handlers, touch } from "./handler.ts";
import type { EventOf } from "./handler.ts";
import type { Draft } from "./draft.ts";

/** The one event whose session is not there yet. The first of a log is the tree's root. A second one of an id does nothing. */
export function sessionCreated(event: EventOf<"session.created">, draft: Draft): void {
  const { id } = event.info;
  if (id === "__proto__" || Object.hasOwn(draft.peek.sessions, id)) return;
  const tree = draft.tree();
  tree.sessions = draft.own(tree.sessions);
  tree.sessions[id] = draft.own({
    info: event.info, deleted: false, status: { type: "idle" as const }, turns: [], messages: [], permissions: [], questions: [],
    grants: [], notices: [], opened: null,
  });
  tree.root ??= id;
}

export const sessionEvents: Handlers<"session.updated" | "session.deleted" | "session.opened" | "session.recovered" | "session.notice"> = {
  "session.updated": (session, { at, patch }, draft) => {
    touch(session, at, draft);
    Object.assign(session.info, patch);
  },
  "session.deleted": (session) => {
    session.deleted = true;
  },
  "session.opened": (session, { epoch, decision, harnessVersion, rules, isolation }) => {
    session.opened = { epoch, decision, harnessVersion, rules, isolation };
  },
  /** A record for people: what was found open was closed by events of its own. */
  "session.recovered": () => {},
  "session.notice": (session, { at, level, code, message }, draft) => {
    session.notices = draft.own(session.notices);
    session.notices.push({ at, level, code, message });
  },
};
