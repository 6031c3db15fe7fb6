import type { HistoryMessage, HostPort } from "@beeuni/harness";
import { historyEvents, isBehind, type Author } from "./history.ts";
import type { NativeSession, StoredMessage } from "./native-events.ts";
import { type ServerApi, ServerError } from "./server-api.ts";

export interface SessionRequest {
  api: Pick<ServerApi, "get" | "post">;
  host: Pick<HostPort, "emit">;
  resume: { nativeId: string } | null;
  history: readonly HistoryMessage[];
  author: Author;
  /** Undefined: OpenCode is to find one. */
  title: string | undefined;
}

export interface OpenedSession {
  id: string;
  /** Ids of the messages that it has. */
  known: string[];
}

/**
 * Finds OpenCode's own session, or makes one. A session that is gone, or older than the transcript, is not patched: the
 * conversation is written anew from the transcript, and a notice says so.
 */
export async function openNativeSession(request: SessionRequest): Promise<OpenedSession> {
  const { api, host, resume, history } = request;
  if (resume === null) return await newSession(request);
  const rebuild = async (why: string): Promise<OpenedSession> => {
    if (history.length > 0) {
      host.emit({ type: "notice", level: "warning", code: "native_session_rebuilt", message: `OpenCode's own session ${resume.nativeId} ${why}; the conversation was rebuilt from the transcript, without the model's reasoning.` });
    }
    return await newSession(request);
  };
  let stored: StoredMessage[];
  try {
    await api.get<NativeSession>(`/session/${encodeURIComponent(resume.nativeId)}`);
    stored = await api.get<StoredMessage[]>(`/session/${encodeURIComponent(resume.nativeId)}/message`);
  } catch (thrown) {
    if (!(thrown instanceof ServerError)) throw thrown;
    return await rebuild(thrown.status === 404 ? "is missing" : `can't be read (${thrown.message})`);
  }
  if (isBehind(stored, history)) return await rebuild("is older than the transcript");
  return { id: resume.nativeId, known: stored.map(({ info }) => info.id) };
}

async function newSession({ api, history, author, title }: SessionRequest): Promise<OpenedSession> {
  const { id } = await api.post<NativeSession>("/session", title === undefined ? {} : { title });
  if (history.length === 0) return { id, known: [] };
  await api.post("/sync/replay", { directory: author.workspace, events: historyEvents(id, history, author, Date.now()) });
  const stored = await api.get<StoredMessage[]>(`/session/${id}/message`);
  return { id, known: stored.map(({ info }) => info.id) };
}
