import type { SessionEntry } from "@beeuni/protocol";
import type { LogEvent } from "./events.ts";
import { applyEvent } from "./fold/apply.ts";
import { Draft } from "./fold/draft.ts";
import type { SessionState, TreeState } from "./state.ts";

/** A session as lists show it. */
export function sessionEntry({ info, status, messages }: SessionState): SessionEntry {
  return { ...info, status, messages: messages.length };
}

/** What a list needs of a log's root session, folded without its messages. */
export interface EntryState {
  entry: SessionEntry;
  deleted: boolean;
}

export function entryOf(tree: TreeState): EntryState | null {
  const root = tree.root === null ? undefined : tree.sessions[tree.root];
  return root === undefined ? null : { entry: sessionEntry(root), deleted: root.deleted };
}

/** Events that can change an entry, by the beginning of their line; others need not be parsed. */
export const ENTRY_EVENT = /^\{"seq":\d+,"at":\d+,"type":"(?:session\.(?:created|updated|deleted)|turn\.|message\.|part\.updated)/;

/**
 * Folds later events of a log into an entry: the same reducer, over a session without its messages, which are only
 * counted. Equals the entry of the whole fold for every log that a session can write.
 */
export function foldEntry(start: EntryState | null, events: readonly LogEvent[]): EntryState | null {
  const draft = new Draft(start === null ? { seq: 0, at: 0, root: null, sessions: {} } : bareTree(start));
  let removed = 0;
  for (const event of events) {
    if (event.type === "message.removed" && event.session === draft.peek.root) removed += 1;
    else applyEvent(draft, { ...event, seq: 0 } as LogEvent);
  }
  const folded = entryOf(draft.take());
  if (folded === null) return null;
  return { ...folded, entry: { ...folded.entry, messages: folded.entry.messages + (start?.entry.messages ?? 0) - removed } };
}

function bareTree({ entry, deleted }: EntryState): TreeState {
  const { status, messages: _, ...info } = entry;
  const root: SessionState = {
    info, deleted, status, turns: [], messages: [], permissions: [], questions: [], grants: [], notices: [], opened: null,
  };
  return { seq: 0, at: 0, root: info.id, sessions: { [info.id]: root } };
}
