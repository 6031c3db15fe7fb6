import { BeeuniError } from "@beeuni/protocol";
import { listSessions, readSession, resolveSessionId, sessionPaths } from "@beeuni/daemon";
import { type BeeuniClient, createClient } from "@beeuni/sdk";
import type { SessionState } from "@beeuni/transcript";
import { sessionHolder } from "@beeuni/transcript/log";
import { findServer, type RunningServer } from "./server-file.ts";

/** The sessions of a project with an open request, or the one session, as their logs have them now. */
export async function waitingSessions(home: string, where: { session: string } | { directory: string }): Promise<SessionState[]> {
  if ("session" in where) return [(await readSession(home, where.session)).state].filter(({ status }) => status.type !== "idle");
  // Only a turn that runs waits: what a killed process left open is closed when its session is opened again.
  const busy = (await listSessions(home, where)).filter(({ status }) => status.type !== "idle");
  return (await Promise.all(busy.map(({ id }) => readSession(home, id)))).map(({ state }) => state);
}

/** The project's newest session. Throws `session_not_found`. */
export async function newestSession(home: string, directory: string): Promise<string> {
  const [newest] = await listSessions(home, { directory });
  if (newest !== undefined) return newest.id;
  throw new BeeuniError("session_not_found", `${directory} has no sessions yet`, { hint: "name a session, or another folder with --dir; `beeuni session ls --all` lists all" });
}

/** The server that has the project open, or `no_server` with how to start one. */
export async function requireServer(home: string, directory: string): Promise<{ server: RunningServer; client: BeeuniClient }> {
  const server = await findServer(home, directory);
  if (server !== undefined) return { server, client: createClient({ url: server.url, token: server.token }) };
  throw new BeeuniError("no_server", `no beeuni serve runs on ${directory}`, { hint: "only a running server can do this: beeuni serve; another project's: --dir FOLDER" });
}

/** A session and whoever has it open: the project's server (with a client), another process, or nobody. Its log need not be readable. */
export async function locateSession(home: string, text: string): Promise<{ id: string; holder: { pid: number } | null; client: BeeuniClient | undefined }> {
  const id = await resolveSessionId(home, text);
  const holder = await sessionHolder(sessionPaths(home, id).directory);
  if (holder === null) return { id, holder, client: undefined };
  const server = await findServer(home, (await readSession(home, id)).state.info.directory);
  return { id, holder, client: server?.pid === holder.pid ? createClient({ url: server.url, token: server.token }) : undefined };
}
