import { BeeuniError, newId, type PermissionReplyBody, type PermissionRequest, type QuestionRequest, type TurnInfo } from "@beeuni/protocol";
import type { PromptInput } from "@beeuni/daemon";
import { type BeeuniClient, createClient, foldItem, type StreamItem } from "@beeuni/sdk";
import { deltaFit, type LogEvent, type SessionState, type StreamEvent, type TreeState } from "@beeuni/transcript";
import type { TurnSession } from "../run/drive-turn.ts";
import { isAlive, type RunningServer } from "./server-file.ts";

/** How often the server's process is looked for while a turn runs. Milliseconds. */
const LOOK = 1000;

/** What is answered to a tool call that asks while this client's turn runs. */
export type Answers = (request: PermissionRequest) => PermissionReplyBody;

/** A session that is open in another process (`beeuni serve`), followed over its event stream. */
export class RemoteSession implements TurnSession {
  readonly id: string;
  readonly #client: BeeuniClient;
  readonly #server: RunningServer;
  readonly #answers: Answers;
  readonly #over = new AbortController();
  readonly #listeners = new Set<(event: StreamEvent) => void>();
  readonly #waiting = new Map<string, PromiseWithResolvers<TurnInfo>>();
  #tree: TreeState;
  #turn: string | null = null;

  private constructor(server: RunningServer, client: BeeuniClient, id: string, tree: TreeState, answers: Answers) {
    this.id = id;
    this.#server = server;
    this.#client = client;
    this.#tree = tree;
    this.#answers = answers;
  }

  static async join(server: RunningServer, id: string, answers: Answers): Promise<RemoteSession> {
    const client = createClient({ url: server.url, token: server.token });
    const { seq, epoch, ...state } = await client.sessions.state(id);
    const session = new RemoteSession(server, client, id, { seq, at: 0, root: id, sessions: { [id]: state } }, answers);
    void session.#follow(`${epoch}:${seq}`);
    return session;
  }

  state(): SessionState {
    return this.#tree.sessions[this.id]!;
  }

  subscribe(listener: (event: StreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async *earlier(): AsyncGenerator<LogEvent> {
    // The server opened it for others too: what it wrote then is not this client's news.
  }

  async prompt(input: PromptInput): Promise<{ turn: string; done: Promise<TurnInfo> }> {
    const { messageId, ...prompt } = input;
    const { turn } = await this.#client.sessions.prompt(this.id, { message_id: messageId ?? newId("msg"), ...prompt });
    this.#turn = turn;
    const end = Promise.withResolvers<TurnInfo>();
    this.#waiting.set(turn, end);
    this.#settle();
    for (const request of this.state().permissions) this.#answer(request);
    for (const request of this.state().questions) this.#dismiss(request);
    const timer = setInterval(() => isAlive(this.#server.pid) || this.#fail(gone(this.#server)), LOOK);
    return { turn, done: end.promise.finally(() => clearInterval(timer)) };
  }

  async abort(): Promise<boolean> {
    return await this.#client.sessions.abort(this.id);
  }

  async close(): Promise<void> {
    this.#over.abort();
  }

  async #follow(lastEventId: string): Promise<void> {
    const stream = this.#client.events({ session: this.id, lastEventId, signal: this.#over.signal });
    try {
      for await (const item of stream) {
        // Text before it was lost with a connection: coming back brings the whole part.
        if (item.kind === "delta" && deltaFit(this.#tree, item.event) === "gap") stream.reconnect();
        else this.#take(item);
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #take(item: StreamItem): void {
    this.#tree = foldItem(this.#tree, item);
    if (item.kind === "event" || item.kind === "delta") this.#tell(item.event);
    // Everything of the turn is told again: a listener knows parts by their ids.
    if (item.kind === "resync") for (const event of retold(this.state(), this.#turn)) this.#tell(event);
    if (item.kind === "event" && item.event.type === "permission.asked") this.#answer(item.event.request);
    if (item.kind === "event" && item.event.type === "question.asked") this.#dismiss(item.event.request);
    this.#settle();
  }

  #tell(event: StreamEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #answer(request: PermissionRequest): void {
    if (request.turn !== this.#turn) return;
    // Somebody else may have been faster.
    this.#client.permissions.reply(request.id, this.#answers(request)).catch(() => undefined);
  }

  /** A run has nobody who could answer its agent. */
  #dismiss(request: QuestionRequest): void {
    if (request.turn === this.#turn) this.#client.questions.reject(request.id).catch(() => undefined);
  }

  #settle(): void {
    for (const [id, end] of this.#waiting) {
      const turn = this.state().turns.find((known) => known.id === id);
      if (turn?.endedAt === undefined) continue;
      this.#waiting.delete(id);
      end.resolve(turn);
    }
  }

  #fail(error: unknown): void {
    for (const end of this.#waiting.values()) end.reject(error);
    this.#waiting.clear();
  }
}

function retold(session: SessionState, turn: string | null): LogEvent[] {
  const place = { seq: 0, at: 0, session: session.info.id };
  return session.messages
    .filter(({ info }) => info.turn === turn)
    .flatMap(({ info, parts }) => [
      { ...place, type: "message.created" as const, message: info },
      ...parts.map((part) => ({ ...place, type: "part.updated" as const, part })),
    ]);
}

function gone(server: RunningServer): BeeuniError {
  return new BeeuniError("turn_failed", `the server at ${server.url} (process ${server.pid}) is gone, and the turn with it`, {
    hint: "start beeuni serve again, or go on without it: the session is kept",
  });
}
