import { type AttributeCall, BeeuniError, type Call } from "@beeuni/protocol";
import { type BodySide, callForPart, joinCalls, readBody, readCalls, type StoredCall, type TraceProblem } from "@beeuni/trace";
import type { SessionState, TreeState } from "@beeuni/transcript";
import { sessionHolder } from "@beeuni/transcript/log";
import { sessionPaths } from "../session/paths.ts";
import { resolveSessionId, sessionIds } from "./resolve-id.ts";
import { listSessions, readSession } from "./sessions.ts";

export interface CallOptions {
  /** The harness's attribution; without one every call is the main loop's. */
  attribute?: AttributeCall;
}

/** A session's calls, as recorded and as joined with its transcript. */
export interface SessionCalls {
  session: string;
  state: SessionState;
  stored: StoredCall[];
  calls: Call[];
  /** Damage in the trace: what stands behind it can't be read. */
  problems: TraceProblem[];
}

export interface FoundCall {
  session: string;
  call: Call;
  /** As the trace alone knows it: headers, attempts, what could not be read. */
  stored: StoredCall;
}

/** Every model call of a session, by number, with the messages that each produced. Opens nothing. */
export async function readSessionCalls(home: string, id: string, { attribute }: CallOptions = {}): Promise<SessionCalls> {
  const { state: root, tree } = await readSession(home, id);
  const session = root.info.id;
  const paths = sessionPaths(home, session);
  const writer = (await sessionHolder(paths.directory)) === null ? "gone" : "running";
  const problems: TraceProblem[] = [];
  const stored = await readCalls(paths.trace, { session, writer, onProblem: (problem) => problems.push(problem), ...(attribute === undefined ? {} : { attribute }) });
  const state = wholeTree(root, tree);
  return { session, state, stored, calls: joinCalls(stored, state), problems };
}

/**
 * The call with this id, or the one that produced the message or part with this id (whole, or the beginning of one). Looks in
 * the session, or in all of the folder's, newest first. Throws `call_not_found`, which says why a link is unknown.
 */
export async function findCall(home: string, id: string, where: { session?: string; directory?: string } & CallOptions = {}): Promise<FoundCall> {
  if (!/^(cal|msg|prt)_[0-9A-Za-z]{4,}$/.test(id)) {
    throw new BeeuniError("call_not_found", `"${id}" is not the id of a call, message or part`, { hint: "`beeuni call ls` lists the calls of a session" });
  }
  let unreadable: Error | undefined;
  for (const session of await candidates(home, id, where)) {
    const calls = await readSessionCalls(home, session, where).catch((thrown: Error) => {
      // One damaged session must not hide what is in the others.
      if (where.session !== undefined) throw thrown;
      unreadable ??= thrown;
      return null;
    });
    const found = calls === null ? null : callOf(calls, id);
    if (found !== null) return found;
  }
  const anywhere = unreadable === undefined ? "any session" : "any session that can be read";
  throw new BeeuniError("call_not_found", `no ${id.startsWith("cal_") ? "call" : "message or part"} ${id} is in ${where.session === undefined ? anywhere : `the session ${where.session}`}`, {
    hint: unreadable === undefined ? "`beeuni call ls` lists the calls of a session" : `not read: ${unreadable.message}`,
  });
}

/** The body's exact bytes, content coding untouched. */
export async function readCallBody(home: string, { session, call }: FoundCall, side: BodySide): Promise<Uint8Array> {
  return await readBody(sessionPaths(home, session).trace, call.number, side);
}

async function candidates(home: string, id: string, { session, directory }: { session?: string; directory?: string }): Promise<string[]> {
  if (session !== undefined) return [await resolveSessionId(home, session)];
  const all = directory === undefined ? await sessionIds(home) : (await listSessions(home, { directory })).map((entry) => entry.id);
  // Ids begin with their time, and what happened in a session is younger than the session: those are looked through first. Not
  // they alone, for a clock may have been set back since.
  const time = id.slice(4, 16);
  const isOlder = (candidate: string): boolean => candidate.slice(4, 4 + time.length) <= time;
  const newest = all.sort().reverse();
  return [...newest.filter(isOlder), ...newest.filter((candidate) => !isOlder(candidate))];
}

function callOf({ session, state, stored, calls }: SessionCalls, id: string): FoundCall | null {
  const found = (call: Call): FoundCall => ({ session, call, stored: stored.find(({ number }) => number === call.number)! });
  const known = id.startsWith("cal_") ? calls.map((call) => call.id) : state.messages.flatMap(({ info, parts }) => [info.id, ...parts.map((part) => part.id)]);
  const whole = only(id, known);
  if (whole === null) return null;
  if (whole.startsWith("cal_")) return found(calls.find((call) => call.id === whole)!);
  const link = callForPart(stored, state, whole);
  if ("call" in link) return found(link.call);
  throw new BeeuniError("call_not_found", `the call of ${whole} is unknown: ${link.why}`);
}

function only(start: string, ids: readonly string[]): string | null {
  if (ids.includes(start)) return start;
  const matching = ids.filter((id) => id.startsWith(start));
  if (matching.length > 1) throw new BeeuniError("invalid_request", `several ids begin with ${start}: ${matching.slice(0, 5).join(", ")}`, { hint: "give more of the id" });
  return matching[0] ?? null;
}

/** Calls of sub-agents are in the same trace: their messages and turns count too. */
function wholeTree(root: SessionState, tree: TreeState): SessionState {
  const sessions = Object.values(tree.sessions);
  return { ...root, messages: sessions.flatMap(({ messages }) => messages), turns: sessions.flatMap(({ turns }) => turns) };
}
