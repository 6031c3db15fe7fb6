import { rm } from "node:fs/promises";
import { BeeuniError, type SessionEntry } from "@beeuni/protocol";
import { sessionEntry, type SessionState, type SessionTree, type TreeState } from "@beeuni/transcript";
import { openSessionLog, peekSessionTree, readSessionLog, sessionHolder } from "@beeuni/transcript/log";
import { sessionPaths } from "../session/paths.ts";
import { resolveSessionId, sessionIds } from "./resolve-id.ts";

/** A session as its log tells it. */
export interface SessionReading {
  /** The root session. */
  state: SessionState;
  tree: TreeState;
  /** Number of the last event. */
  seq: number;
  /** Of the opening that wrote last. */
  epoch: string;
  entry: SessionEntry;
}

/** A session that could not be read, in a list that must not fail for it. */
export interface UnreadableSession {
  id: string;
  error: Error;
}

export interface ListOptions {
  /** Only sessions of this project folder. */
  directory?: string;
  /** Told of each session whose log can't be read; left out of the list. */
  onUnreadable?: (session: UnreadableSession) => void;
}

/** Logs that are read side by side. */
const PEEKS = 32;

/** Stored sessions, the newest activity first, without opening any. */
export async function listSessions(home: string, options: ListOptions = {}): Promise<SessionEntry[]> {
  return (await listSessionTrees(home, options)).map(({ entry }) => entry);
}

/** The same with the sessions that each of them started. */
export async function listSessionTrees(home: string, { directory, onUnreadable }: ListOptions = {}): Promise<SessionTree[]> {
  const peek = async (id: string): Promise<SessionTree | null> => {
    const folder = sessionPaths(home, id).directory;
    try {
      const tree = await peekSessionTree(folder);
      return tree === null ? null : { entry: await settled(folder, tree.entry), children: await Promise.all(tree.children.map((child) => settled(folder, child))) };
    } catch (thrown) {
      onUnreadable?.({ id, error: thrown as Error });
      return null;
    }
  };
  const ids = await sessionIds(home);
  const trees: (SessionTree | null)[] = [];
  // A few at a time: a process may hold only so many open files.
  for (let from = 0; from < ids.length; from += PEEKS) trees.push(...(await Promise.all(ids.slice(from, from + PEEKS).map(peek))));
  return trees
    .filter((tree): tree is SessionTree => tree !== null && (directory === undefined || tree.entry.directory === directory))
    .sort(({ entry: a }, { entry: b }) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
}

/** A session that says it is busy while nobody has it open died with its process: nothing runs. */
async function settled(directory: string, entry: SessionEntry): Promise<SessionEntry> {
  if (entry.status.type === "idle" || (await sessionHolder(directory)) !== null) return entry;
  return { ...entry, status: { type: "idle" } };
}

/** Reads a session without opening it, by its whole id or the beginning of it. Throws `session_not_found`, `session_corrupt`. */
export async function readSession(home: string, id: string): Promise<SessionReading> {
  const whole = await resolveSessionId(home, id);
  const { state: tree } = await readSessionLog(sessionPaths(home, whole).directory);
  const state = tree.sessions[whole]!;
  if (state.deleted) throw new BeeuniError("session_not_found", `the session ${whole} was removed`);
  const entry = await settled(sessionPaths(home, whole).directory, sessionEntry(state));
  return { state: { ...state, status: entry.status }, tree, seq: tree.seq, epoch: state.opened?.epoch ?? "", entry };
}

/** Removes a session and its trace for good. Throws `session_locked` while it is open somewhere. */
export async function removeSession(home: string, id: string): Promise<void> {
  const paths = sessionPaths(home, await resolveSessionId(home, id));
  // Whoever holds the log would go on writing into a folder that is gone.
  const log = await openSessionLog(paths.directory).catch((thrown: { code?: string }) => {
    if (thrown.code === "session_corrupt" || thrown.code === "session_not_found") return null;
    throw thrown;
  });
  await rm(paths.trace, { recursive: true, force: true });
  await rm(paths.directory, { recursive: true, force: true });
  await log?.close().catch(() => {});
}
