import { chmod } from "node:fs/promises";
import type { HistoryMessage, HostPort } from "@beeuni/harness";
import { isBehind, missingResults, nativeHistory, type Author } from "./history.ts";
import type { PiSdk, SessionStore } from "./sdk.ts";
import { inspectSessionFile } from "./session-file.ts";

export interface StoreRequest {
  workspace: string;
  /** Folder of Pi's session files. */
  folder: string;
  resume: { nativeId: string } | null;
  history: readonly HistoryMessage[];
  author: Author;
  host: Pick<HostPort, "emit">;
}

/**
 * Opens Pi's own session, or makes a new one. A file that is gone, damaged or older than the transcript is not patched: the
 * conversation is written anew from the transcript, and a notice says so.
 */
export async function openStore(sdk: PiSdk, request: StoreRequest): Promise<SessionStore> {
  const { resume, history, host } = request;
  if (resume === null) return newStore(sdk, request);
  const found = await inspectSessionFile(request.folder, resume.nativeId);
  const rebuild = (why: string): SessionStore => {
    if (history.length > 0) {
      host.emit({ type: "notice", level: "warning", code: "native_session_rebuilt", message: `Pi's own session file ${why}; the conversation was rebuilt from the transcript, without the model's reasoning.` });
    }
    return newStore(sdk, request);
  };
  if (found.state === "missing") return rebuild("is missing");
  if (found.state === "unreadable") return rebuild(`can't be used (${found.why})`);
  if (found.tornBytes > 0 && history.length > 0) return rebuild(`was torn (an unfinished line of ${found.tornBytes} bytes)`);
  let store: SessionStore;
  try {
    store = sdk.SessionManager.open(found.file, request.folder, request.workspace);
  } catch (error) {
    return rebuild(`can't be used (${(error as Error).message})`);
  }
  if (isBehind(store.getBranch(), history)) return rebuild("is older than the transcript");
  for (const message of missingResults(store.getBranch(), history, Date.now())) store.appendMessage(message);
  return store;
}

/** Pi writes its file with the rights that the process gives to new ones; only the user reads what was said. */
export async function keepPrivate(store: SessionStore): Promise<void> {
  const file = store.getSessionFile();
  // It is there once the model has answered.
  if (file !== undefined) await chmod(file, 0o600).catch(() => {});
}

function newStore(sdk: PiSdk, { workspace, folder, history, author }: StoreRequest): SessionStore {
  const store = sdk.SessionManager.create(workspace, folder);
  for (const message of nativeHistory(history, author, Date.now())) store.appendMessage(message);
  return store;
}
