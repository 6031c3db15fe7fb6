import { request, type IncomingMessage } from "node:http";
import type { TestContext } from "node:test";
import { type DaemonServer, serveDaemon, type ServeOptions } from "../serve.ts";
import { type Bench, type BenchOptions, openBench } from "./bench.ts";

export const TOKEN = "secret-token";

export interface Answer {
  status: number;
  headers: { [name: string]: string };
  text: string;
  /** Undefined when the answer is no JSON. */
  json: any;
}

export interface Served extends Bench {
  server: DaemonServer;
  /** A request with the token. */
  call(method: string, path: string, body?: unknown, headers?: { [name: string]: string }): Promise<Answer>;
  /** Opens the event stream. */
  events(session: string, cursor?: string): Promise<EventReader>;
}

export async function serveBench(t: TestContext, options: BenchOptions & { serve?: Partial<ServeOptions> } = {}): Promise<Served> {
  const { serve, ...rest } = options;
  const bench = await openBench(t, rest);
  const server = await serveDaemon(bench.daemon, { token: TOKEN, ...serve });
  t.after(() => server.close());
  const authorization = { authorization: `Bearer ${TOKEN}` };
  return Object.assign(bench, {
    server,
    call: async (method: string, path: string, body?: unknown, headers: { [name: string]: string } = authorization) =>
      await send(server.url, method, path, body, headers),
    events: async (session: string, cursor?: string) => await EventReader.open(server.url, session, cursor),
  });
}

/** One request; `headers` replace everything, also the Host. */
export async function send(url: string, method: string, path: string, body: unknown, headers: { [name: string]: string }): Promise<Answer> {
  const content = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers: { ...(content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) }), ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject).on("end", () => {
        const text = Buffer.concat(chunks).toString();
        let json: unknown;
        try {
          json = JSON.parse(text);
        } catch {
          json = undefined;
        }
        resolve({ status: response.statusCode!, headers: response.headers as { [name: string]: string }, text, json });
      });
    });
    asked.on("error", reject);
    asked.end(content);
  });
}

export interface Frame {
  event: string;
  id?: string;
  data: any;
}

/** Reads server-sent events, one after the other. */
export class EventReader {
  readonly frames: Frame[] = [];
  readonly status: number;
  readonly response: IncomingMessage;
  isOver = false;
  #text = "";
  #read = 0;
  #wake: (() => void) | null = null;

  static async open(url: string, session: string, cursor?: string): Promise<EventReader> {
    return await new Promise((resolve, reject) => {
      const asked = request(`${url}/beeuni/events?session=${session}`, {
        headers: { authorization: `Bearer ${TOKEN}`, ...(cursor === undefined ? {} : { "last-event-id": cursor }) },
      }, (response) => resolve(new EventReader(response)));
      asked.on("error", reject);
      asked.end();
    });
  }

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.status = response.statusCode!;
    const over = (): void => {
      this.isOver = true;
      this.#wake?.();
    };
    response.setEncoding("utf8").on("data", (text: string) => this.#take(text)).on("close", over).on("error", over);
  }

  get lastId(): string | undefined {
    return this.frames.findLast(({ id }) => id !== undefined)?.id;
  }

  /** The next frame; null when the stream is over. */
  async next(): Promise<Frame | null> {
    while (this.#read === this.frames.length && !this.isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.frames[this.#read++] ?? null;
  }

  /** Reads up to and with the first frame that fits. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame === null) throw new Error("the stream is over");
      if (fits(frame)) return frame;
    }
  }

  close(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string): string | undefined => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const id = field("id");
      this.frames.push({ event: field("event")!, data: JSON.parse(field("data")!), ...(id === undefined ? {} : { id }) });
    }
    this.#wake?.();
  }
}
