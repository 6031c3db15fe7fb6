import {
  type AgentInfo, type AgentSet, BeeuniError, type Call, type CreateSession, type Health, isId, type ModelRef, newId, type PermissionRequest, type QuestionRequest, type SessionEntry,
  type UpdateSession,
} from "@beeuni/protocol";
import type { Provider, ProviderModel } from "@beeuni/gateway";
import type { Harness } from "@beeuni/harness";
import { sessionEntry, type SessionTree } from "@beeuni/transcript";
import { type FoundCall, findCall, readCallBody, readSessionCalls } from "./offline/calls.ts";
import { resolveSessionId } from "./offline/resolve-id.ts";
import { listSessionTrees, readSession, removeSession, type SessionReading } from "./offline/sessions.ts";
import { agentInfos, agentSetNow, harnessNow, projectHealth } from "./plan/project-now.ts";
import { type DaemonFacts, healthDocument } from "./session/health.ts";
import { createSession, type OpenContext, resumeSession } from "./session/open-session.ts";
import { sessionPaths } from "./session/paths.ts";
import type { OpenSession } from "./session/session-host.ts";
import { updateClosedSession } from "./session/update-session.ts";
import type { Daemon, DaemonOptions, OpenOverrides, SessionsWatcher } from "./types.ts";

const NO_ISOLATION: Health["isolation"] = { level: "none", reason: "the agent's commands run with your rights" };

/** The sessions of one project folder, in this process. Reads are answered from the sessions' own logs, open or not. */
export function createDaemon(options: DaemonOptions): LocalDaemon {
  return new LocalDaemon(options);
}

export class LocalDaemon implements Daemon {
  readonly home: string;
  readonly directory: string;
  readonly facts: DaemonFacts;
  readonly #options: DaemonOptions;
  readonly #epoch = newId("evt");
  readonly #sessions = new Map<string, Promise<OpenSession>>();
  readonly #open = new Map<string, OpenSession>();
  readonly #watchers = new Set<SessionsWatcher>();
  #isClosed = false;

  constructor(options: DaemonOptions) {
    this.#options = options;
    this.home = options.home;
    this.directory = options.directory;
    this.facts = {
      version: options.version ?? "0.0.0", directory: options.directory, startedAt: Date.now(), isolation: options.isolation ?? NO_ISOLATION, hasToken: false,
    };
  }

  async createSession(request: CreateSession): Promise<OpenSession> {
    this.#requireOpen();
    const session = await createSession(this.#context(), request);
    this.#sessions.set(session.id, Promise.resolve(session));
    this.#open.set(session.id, session);
    if (this.#isClosed) await session.close();
    this.#requireOpen();
    for (const watcher of [...this.#watchers]) watcher.opened(session, true);
    return session;
  }

  /** Opens the session, or answers the one that is open. One whose log failed is opened anew. `session_locked` when another process has it. */
  async openSession(text: string, overrides: OpenOverrides = {}): Promise<OpenSession> {
    this.#requireOpen();
    const id = await this.#whole(text);
    const known = this.#sessions.get(id);
    if (known !== undefined) {
      const session = await known;
      const isOther = Object.values(overrides).some((value) => value !== undefined);
      if (session.failure === null && !isOther) return session;
      await session.close();
    }
    const running = this.#sessions.get(id);
    if (running !== undefined) return await running;
    const opening = this.#resume(id, overrides);
    this.#sessions.set(id, opening);
    opening.catch(() => {
      if (this.#sessions.get(id) === opening) this.#sessions.delete(id);
    });
    return await opening;
  }

  /** Closes the session and opens it again: agent, model and harness are decided anew. */
  async restartSession(text: string): Promise<OpenSession> {
    const id = await this.#whole(text);
    await this.#close(id);
    return await this.openSession(id);
  }

  /** Stops what runs in the session; false when nothing does. Throws `session_not_found`. */
  async abort(id: string): Promise<boolean> {
    const session = this.#open.get((await this.entry(id)).id);
    return session !== undefined && (await session.abort());
  }

  openSessions(): OpenSession[] {
    return [...this.#open.values()];
  }

  /** Returns the way out. */
  watch(watcher: SessionsWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async sessions(): Promise<SessionEntry[]> {
    return (await this.trees()).map(({ entry }) => entry);
  }

  /** Every session with those that it started, the newest activity first. */
  async trees(): Promise<SessionTree[]> {
    const stored = await listSessionTrees(this.home, { directory: this.directory });
    return stored.map((tree) => {
      const open = this.#open.get(tree.entry.id);
      if (open === undefined) return tree;
      const children = Object.values(open.log.state.sessions).filter(({ info }) => info.id !== open.id);
      return { entry: sessionEntry(open.state()), children: children.map(sessionEntry) };
    });
  }

  /** The session that this one belongs to: itself, or the one that started it. Throws `session_not_found`. */
  async rootOf(id: string): Promise<string> {
    for (const open of this.#open.values()) if (Object.hasOwn(open.log.state.sessions, id)) return open.id;
    const tree = (await this.trees()).find(({ entry, children }) => entry.id === id || children.some((child) => child.id === id));
    if (tree === undefined) throw new BeeuniError("session_not_found", `there is no session ${id}`);
    return tree.entry.id;
  }

  /** Changes a session, open or not, also one that another one started. Throws `session_not_found`. */
  async updateSession(id: string, patch: UpdateSession): Promise<void> {
    const root = await this.rootOf(id);
    // While it is being opened its log is about to be locked.
    const open = await this.#sessions.get(root)?.catch(() => undefined);
    if (open !== undefined) return await open.update(id, patch);
    await updateClosedSession(sessionPaths(this.home, root).directory, id, patch, this.#options.logFs);
  }

  async entry(id: string): Promise<SessionEntry> {
    return (await this.read(id)).entry;
  }

  /** The session's transcript as far as it is on the disk, open or not. Throws `session_not_found`. */
  async read(text: string): Promise<SessionReading> {
    const id = await this.#whole(text);
    const open = this.#open.get(id);
    if (open === undefined || open.failure !== null) return this.#own(await readSession(this.home, id));
    const { epoch, state: tree } = open.log;
    const state = tree.sessions[id]!;
    await open.log.flushed(tree.seq);
    return { state, tree, seq: tree.seq, epoch, entry: sessionEntry(state) };
  }

  /** Open permission requests and questions of every open session. */
  async openRequests(): Promise<{ session: OpenSession; permissions: PermissionRequest[]; questions: QuestionRequest[] }[]> {
    return await Promise.all(this.openSessions().map(async (session) => {
      const { permissions, questions } = (await this.read(session.id)).state;
      return { session, permissions, questions };
    }));
  }

  async removeSession(text: string): Promise<void> {
    const { id } = await this.entry(text);
    const tree = (await this.trees()).find(({ entry }) => entry.id === id);
    await this.#close(id);
    await removeSession(this.home, id);
    if (tree !== undefined) for (const watcher of [...this.#watchers]) watcher.removed(tree);
  }

  async agents(): Promise<AgentInfo[]> {
    return agentInfos(await this.agentSet());
  }

  /** The agents as the project stands now. Throws `invalid_project`. */
  async agentSet(): Promise<AgentSet> {
    return await agentSetNow(this.#options);
  }

  get providers(): readonly Provider[] {
    return this.#options.gateway.providers;
  }

  /** Undefined for a model that no provider has. */
  findModel(model: ModelRef): ProviderModel | undefined {
    try {
      return this.#options.gateway.resolve(model).model;
    } catch {
      return undefined;
    }
  }

  /** `provider/model` of sessions that name none, and whose agent names none. */
  get defaultModel(): string | undefined {
    return this.#options.defaultModel;
  }

  /** Of the session, of the only open one, or of the project: could one be started? */
  async health(id?: string): Promise<Health> {
    const only = this.#open.size === 1 ? [...this.#open.values()][0] : undefined;
    const open = id === undefined ? only : this.#open.get(id);
    if (open !== undefined) return await open.health();
    if (id === undefined) return await projectHealth(this.#options, this.facts, this.#epoch);
    return await this.#closedHealth(id);
  }

  /** The harness of a session, open or not. Throws `session_not_found`. */
  async harnessOf(id: string): Promise<Harness> {
    const entry = await this.entry(id);
    return this.#open.get(entry.id)?.harness ?? (await this.#options.registry.load(entry.harness));
  }

  /** The harness of the only open session, else the one that a new session would have. */
  async currentHarness(): Promise<Harness> {
    const [first, ...others] = this.#open.values();
    return first !== undefined && others.length === 0 ? first.harness : await harnessNow(this.#options);
  }

  async calls(session: string): Promise<Call[]> {
    return (await readSessionCalls(this.home, (await this.entry(session)).id)).calls;
  }

  /** The call with this id, or the one that produced the message or part. Throws `call_not_found`. */
  async call(id: string, session?: string): Promise<FoundCall> {
    return await findCall(this.home, id, session === undefined ? { directory: this.directory } : { session: (await this.entry(session)).id });
  }

  async callBody(found: FoundCall, side: "request" | "response"): Promise<Uint8Array> {
    return await readCallBody(this.home, found, side);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const sessions = await Promise.allSettled(this.#sessions.values());
    await Promise.all(sessions.map((session) => (session.status === "fulfilled" ? session.value.close() : undefined)));
  }

  async #resume(id: string, overrides: OpenOverrides): Promise<OpenSession> {
    // A folder that is not there must not be made by opening its log.
    await this.entry(id);
    const session = await resumeSession(this.#context(), id, overrides);
    this.#open.set(id, session);
    for (const watcher of [...this.#watchers]) watcher.opened(session, false);
    return session;
  }

  /** A session may be named by the beginning of its id. */
  async #whole(text: string): Promise<string> {
    return isId(text, "ses") ? text : await resolveSessionId(this.home, text);
  }

  /** Sessions of other folders are none of this daemon's. */
  #own(reading: SessionReading): SessionReading {
    const { id, directory } = reading.entry;
    if (directory === this.directory) return reading;
    throw new BeeuniError("session_not_found", `the session ${id} belongs to another folder: ${directory}`, { hint: `use it there (--dir ${directory})` });
  }

  async #close(id: string): Promise<void> {
    const session = await this.#sessions.get(id)?.catch(() => undefined);
    await session?.close();
  }

  #context(): OpenContext {
    return { options: this.#options, facts: this.facts, onOver: (session) => this.#forget(session) };
  }

  #forget(session: OpenSession): void {
    if (this.#open.get(session.id) !== session) return;
    this.#open.delete(session.id);
    this.#sessions.delete(session.id);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new BeeuniError("aborted", "the daemon is closed");
  }

  async #closedHealth(id: string): Promise<Health> {
    // Health is told without a token: nothing of another folder's sessions, and no id that the caller does not know whole.
    const reading = isId(id, "ses") ? await this.read(id).catch((thrown: unknown) => thrown as BeeuniError) : null;
    if (reading === null || reading instanceof Error) {
      const health = await projectHealth(this.#options, this.facts, this.#epoch);
      const isUnknown = reading === null || reading.code === "session_not_found";
      return { ...health, status: "error", runtimeReady: false, boot_error: isUnknown ? `there is no session "${id}"` : reading.message };
    }
    const { state, epoch } = reading;
    const harness = await this.harnessOf(id).catch(() => null);
    const decision = state.opened?.decision ?? { harness: state.info.harness, rule: 0, reason: "as the session was created", candidates: [] };
    return healthDocument({
      ...this.facts, epoch, decision, session: state, now: Date.now(), capabilities: harness?.capabilities ?? [],
      harness: { state: "down", error: null, details: {} }, harnessVersion: state.opened?.harnessVersion ?? null, support: harness?.support() ?? null,
    });
  }
}
