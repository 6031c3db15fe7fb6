import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formatCursor, parseCursor } from "@beeuni/protocol";
import { applyDelta, EMPTY_TREE, type LogEvent, type PartDelta, reduce, type StreamEvent, type TreeState } from "@beeuni/transcript";

/** A small server of the event stream for tests: it sends what it is told, and breaks connections when it is told. */
export class ScriptedServer {
  readonly token = "secret";
  /** The fold of everything pushed. */
  tree: TreeState = EMPTY_TREE;
  epoch = "e1";
  /** Cursors of these openings can be replayed. */
  readonly epochs = new Set(["e1"]);
  /** Last-Event-ID of every connection, in order; null for none. */
  readonly cursors: (string | null)[] = [];
  /** Answers a request instead of the event stream when it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #server: Server;
  readonly #log: LogEvent[] = [];
  readonly #streams = new Map<ServerResponse, string>();
  readonly #waiting: (() => void)[] = [];
  #held: PartDelta[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      if (request.headers.authorization !== `Bearer ${this.token}`) return answer(response, 401, { code: "unauthorized", error: "the token is wrong" });
      if (this.intercept(request, response)) return;
      if (request.url?.startsWith("/beeuni/runtime/state") === true) return answer(response, 200, { ...this.tree.sessions["ses_root"], seq: this.tree.seq, epoch: this.epoch });
      this.#stream(request, response);
    });
  }

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Deltas are held back for a moment, as a server does that gathers them; who connects meanwhile has them in the snapshot. */
  push(step: StreamEvent): void {
    if (step.type === "part.delta") {
      this.tree = applyDelta(this.tree, step);
      this.#held.push(step);
      return;
    }
    this.release();
    this.tree = reduce(this.tree, step);
    this.#log.push(step);
    for (const response of this.#streams.keys()) this.#event(response, step);
  }

  /** Sends the deltas that were held back. */
  release(): void {
    for (const delta of this.#held.splice(0)) for (const response of this.#streams.keys()) this.send(response, delta.type, delta);
  }

  /** Forgets to send the deltas that were held back. */
  lose(): void {
    this.#held = [];
  }

  /** Another process opened the log. */
  restart(isKnown: boolean): void {
    if (!isKnown) this.epochs.clear();
    this.epoch = `e${this.cursors.length + 2}`;
    this.epochs.add(this.epoch);
    this.drop();
  }

  /** Resolves when a client of that name is connected. */
  async connected(name = ""): Promise<void> {
    while (![...this.#streams.values()].includes(name)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Breaks the connections of a client, in the middle of a frame. */
  drop(name = ""): void {
    for (const [response, client] of this.#streams) {
      if (client !== name) continue;
      this.#streams.delete(response);
      response.write('event: session.notice\nid: e1:99999\ndata: {"seq":99999,"at"', () => response.socket?.destroy());
    }
  }

  send(response: ServerResponse, event: string, data: unknown, id?: string): void {
    response.write(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers["last-event-id"];
    this.cursors.push(typeof last === "string" ? last : null);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 10\n\n");
    this.send(response, "hello", { epoch: this.epoch, head: this.tree.seq, session: "ses_root" });
    const cursor = parseCursor(typeof last === "string" ? last : "");
    if (last === undefined || (cursor !== undefined && this.epochs.has(cursor.epoch) && cursor.seq <= this.tree.seq)) {
      for (const event of this.#log.slice(cursor?.seq ?? 0)) this.#event(response, event);
    } else {
      this.send(response, "resync", { epoch: this.epoch, seq: this.tree.seq, state: this.tree }, formatCursor({ epoch: this.epoch, seq: this.tree.seq }));
    }
    for (const { session, part, text } of inFlight(this.tree)) this.send(response, "part.snapshot", { seq: 0, at: 0, type: "part.snapshot", session, part, text });
    this.#streams.set(response, String(request.headers["x-client"] ?? ""));
    response.on("close", () => this.#streams.delete(response));
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #event(response: ServerResponse, event: LogEvent): void {
    this.send(response, event.type, event, formatCursor({ epoch: this.epoch, seq: event.seq }));
  }
}

export function answer(response: ServerResponse, status: number, body: unknown, headers: { [name: string]: string } = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function inFlight(tree: TreeState): { session: string; part: string; text: string }[] {
  return Object.values(tree.sessions).flatMap(({ info, messages }) => messages.flatMap(({ parts }) => parts.flatMap((part) =>
    (part.type === "text" || part.type === "reasoning") && part.endedAt === undefined ? [{ session: info.id, part: part.id, text: part.text }] : [])));
}
