import type { SessionEntry } from "@beeuni/protocol";
import type { LogEvent } from "./events.ts";
import { applyEvent } from "./fold/apply.ts";
import { Draft } from "./fold/draft.ts";
import type { SessionState, TreeState } from "./state.ts";

/** A session as lists show it. */
export function sessionEntry({ info, status, messages }: SessionState): SessionEntry {
  return { ...info, status, messages: messages.length };
}

/** A session with those that it started: sub-agents and what they started, in the order in which they came. */
export interface SessionTree {
  entry: SessionEntry;
  children: SessionEntry[];
}

/** What a list needs of a log, folded without the messages. */
export interface EntryState extends SessionTree {
  deleted: boolean;
}

export function entryOf(tree: TreeState): EntryState | null {
  const root = tree.root === null ? undefined : tree.sessions[tree.root];
  if (root === undefined) return null;
  const children = Object.values(tree.sessions).filter((session) => session !== root);
  return { entry: sessionEntry(root), children: children.map(sessionEntry), deleted: root.deleted };
}

/** Events that can change an entry, by the beginning of their line; others need not be parsed. */
export const ENTRY_EVENT = /^\{"seq":\d+,"at":\d+,"type":"(?:session\.(?:created|updated|deleted)|turn\.|message\.|part\.updated)/;

/**
 * Folds later events of a log into its entries: the same reducer, over sessions without their messages, which are only
 * counted. Equals the entries of the whole fold for every log that a session can write.
 */
export function foldEntry(start: EntryState | null, events: readonly LogEvent[]): EntryState | null {
  const draft = new Draft(start === null ? { seq: 0, at: 0, root: null, sessions: {} } : bareTree(start));
  const counts = new Map(start === null ? [] : [start.entry, ...start.children].map(({ id, messages }) => [id, messages]));
  for (const event of events) {
    if (event.type === "message.removed") counts.set(event.session, (counts.get(event.session) ?? 0) - 1);
    else applyEvent(draft, { ...event, seq: 0 } as LogEvent);
  }
  const folded = entryOf(draft.take());
  if (folded === null) return null;
  const counted = (entry: SessionEntry): SessionEntry => ({ ...entry, messages: entry.messages + (counts.get(entry.id) ?? 0) });
  return { ...folded, entry: counted(folded.entry), children: folded.children.map(counted) };
}

function bareTree({ entry, children, deleted }: EntryState): TreeState {
  const bare = ({ status, messages: _, ...info }: SessionEntry): SessionState => ({
    info, deleted: false, status, turns: [], messages: [], permissions: [], questions: [], grants: [], notices: [], opened: null,
  });
  const sessions = Object.fromEntries([entry, ...children].map((held) => [held.id, bare(held)]));
  sessions[entry.id]!.deleted = deleted;
  return { seq: 0, at: 0, root: entry.id, sessions };
}
