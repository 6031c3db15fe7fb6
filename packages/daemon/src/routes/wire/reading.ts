import { BeeuniError, isId } from "@beeuni/protocol";
import { reduce, type SessionState } from "@beeuni/transcript";
import type { LocalDaemon } from "../../local-daemon.ts";

export interface WireReading {
  /** The session that was asked for. */
  state: SessionState;
  /** The session at the top of its tree: itself, or the one that started it. */
  root: string;
}

/**
 * A session as far as clients have been told of it: what is on the disk, and of texts that are being streamed what was sent.
 * Answered from the log, whether the session is open or not. Throws `session_not_found`.
 */
export async function readWireSession(daemon: LocalDaemon, id: string): Promise<WireReading> {
  const root = isId(id, "ses") ? await daemon.rootOf(id) : undefined;
  if (root === undefined) throw new BeeuniError("session_not_found", `there is no session ${id}`);
  let { tree } = await daemon.read(root);
  const open = daemon.openSessions().find((session) => session.id === root);
  for (const { session, part, text } of open?.hub.streamed() ?? []) tree = reduce(tree, { seq: 0, at: 0, type: "part.snapshot", session, part, text });
  const state = tree.sessions[id];
  if (state === undefined) throw new BeeuniError("session_not_found", `there is no session ${id}`);
  return { state, root };
}

/** What a person may do with a session, one that another session started may not: its parent's task drives it. */
export function requireRoot({ state, root }: WireReading, what: string): void {
  if (state.info.id === root) return;
  throw new BeeuniError("feature_not_supported", `${what} is not possible in a sub-agent's session: its parent ${root} drives it`);
}
