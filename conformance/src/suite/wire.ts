import { createServer, request as httpRequest } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";

/** One model request that came through. */
export interface Exchange {
  /** Path after the principal's root, e.g. `/v1/chat/completions`. */
  path: string;
  headers: readonly (readonly [string, string])[];
  body: string;
  status: number | null;
  response: string;
  /** The client went away before the answer's end. */
  abandoned: boolean;
}

/** What the next request meets instead of its plain answer. */
type Trouble = { kind: "silent" } | { kind: "stall"; events: number } | { kind: "cut"; events: number } | { kind: "refuse"; status: number; body: string };

/**
 * The endpoint that a harness under test is given: keeps every model request and its answer, and makes trouble on
 * demand. It forwards to a model server and understands no more of a protocol than server-sent events' blank lines.
 */
export class Wire {
  readonly exchanges: Exchange[] = [];
  readonly #target: string;
  readonly #token = `cft-${randomBytes(9).toString("hex")}`;
  readonly #server: Server;
  readonly #troubles: Trouble[] = [];
  readonly #watchers = new Set<() => void>();

  private constructor(target: string) {
    this.#target = target.replace(/\/$/, "");
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(target: string): Promise<Wire> {
    const wire = new Wire(target);
    await new Promise<void>((resolve) => wire.#server.listen(0, "127.0.0.1", resolve));
    return wire;
  }

  /** What goes into the session's endpoint. */
  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/s/${this.#token}`;
  }

  /** The next request gets no answer at all. */
  beSilent(): void { this.#troubles.push({ kind: "silent" }); }
  /** The next answer stops after so many server-sent events and is never ended. */
  stall(events: number): void { this.#troubles.push({ kind: "stall", events }); }
  /** The next answer's connection breaks after so many server-sent events. */
  cut(events: number): void { this.#troubles.push({ kind: "cut", events }); }
  /** The next request is answered with this status. */
  refuse(status: number, body: string): void { this.#troubles.push({ kind: "refuse", status, body }); }

  /** Resolves when `holds`; checked on every request, chunk and disconnect. */
  async until(what: string, holds: (exchanges: readonly Exchange[]) => boolean, ms: number): Promise<void> {
    if (holds(this.exchanges)) return;
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!holds(this.exchanges)) return;
        this.#watchers.delete(check);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(check);
        reject(new Error(`after ${ms} ms the model server still waits for ${what}; it saw ${this.exchanges.length} requests`));
      }, ms);
      this.#watchers.add(check);
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const prefix = `/s/${this.#token}`;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = request.url ?? "";
    const inside = url.startsWith(`${prefix}/`);
    const exchange: Exchange = {
      path: inside ? url.slice(prefix.length) : `outside the root: ${url}`, headers: pairs(request.rawHeaders), body: body.toString("utf8"), status: null, response: "", abandoned: false,
    };
    this.exchanges.push(exchange);
    response.on("close", () => {
      exchange.abandoned = !response.writableEnded;
      this.#changed();
    });
    this.#changed();
    const trouble: Trouble | undefined = inside ? this.#troubles.shift() : { kind: "refuse", status: 404, body: "{}" };
    if (trouble?.kind === "silent") return;
    if (trouble?.kind === "refuse") {
      exchange.status = trouble.status;
      response.writeHead(trouble.status, { "content-type": "application/json" }).end(trouble.body);
      return;
    }
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !["host", "connection", "content-length", "transfer-encoding"].includes(name)));
    const upstream = httpRequest(`${this.#target}${exchange.path}`, { method: request.method, headers: { ...headers, "content-length": body.length } }, (answer) => {
      exchange.status = answer.statusCode ?? 502;
      response.writeHead(exchange.status, answer.headers);
      answer.on("data", (chunk: Buffer) => {
        if (response.destroyed) return;
        exchange.response += chunk.toString("latin1");
        this.#forward(chunk, exchange, response, trouble);
        this.#changed();
      });
      answer.on("end", () => { if (trouble?.kind !== "stall" && trouble?.kind !== "cut") response.end(); });
    });
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    upstream.end(body);
  }

  /** Passes a chunk on as far as the trouble allows; a stalled answer keeps its connection. */
  #forward(chunk: Buffer, exchange: Exchange, response: ServerResponse, trouble: Trouble | undefined): void {
    if (trouble?.kind !== "stall" && trouble?.kind !== "cut") {
      response.write(chunk);
      return;
    }
    const before = exchange.response.length - chunk.length;
    let end = 0;
    for (let found = 0; found < trouble.events; found++) {
      const next = exchange.response.indexOf("\n\n", end);
      if (next === -1) {
        response.write(chunk);
        return;
      }
      end = next + 2;
    }
    if (end > before) response.write(chunk.subarray(0, end - before));
    if (trouble.kind === "cut") setImmediate(() => response.destroy());
  }

  #changed(): void {
    for (const check of [...this.#watchers]) check();
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as [string, string]] : []));
}

/** The JSON of a request; `{}` when it is none. */
export function requestOf(exchange: Exchange): { model?: string; temperature?: number; top_p?: number; tools?: { name?: string; function?: { name?: string; parameters?: unknown } }[] } {
  try {
    return JSON.parse(exchange.body) as object;
  } catch {
    return {};
  }
}

/** The provider's id of the response, in any of the three protocols. */
export function responseIdOf(exchange: Exchange): string | null {
  for (const line of exchange.response.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const event = JSON.parse(Buffer.from(line.slice(6), "latin1").toString("utf8")) as { id?: string; response?: { id?: string }; message?: { id?: string } };
    const id = event.id ?? event.response?.id ?? event.message?.id;
    if (id !== undefined) return id;
  }
  return null;
}
