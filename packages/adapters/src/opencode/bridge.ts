import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BeeuniError } from "@beeuni/protocol";
import type { AuthorizeRequest, HelloRequest, ToolRequest } from "./plugin.ts";

/** What the plugin in OpenCode may ask for. Each `signal` aborts when the plugin has hung up. */
export interface BridgeHandlers {
  hello(request: HelloRequest): void;
  authorize(request: AuthorizeRequest, signal: AbortSignal): Promise<{ allow: true } | { allow: false; message: string }>;
  /** Rejects with a BeeuniError: `not_found` for no such tool, `denied` or `forbidden` for a no; any other error is the tool's. */
  runTool(name: string, request: ToolRequest, signal: AbortSignal): Promise<{ output: string; metadata: object }>;
}

const MAX_BODY = 64 * 1_024 * 1_024;
/** Sent while a person thinks, so that nobody on the way takes the connection for dead. Blanks before JSON mean nothing. */
const HEARTBEAT_MS = 30_000;

/**
 * A small HTTP endpoint on loopback for the plugin, with a token that opens nothing else. It never grants anything by itself:
 * whoever holds the token can have a call decided, and a tool call is decided on its own.
 *
 *     POST /beeuni/hello                                                → 200 {}
 *     POST /beeuni/authorize     {session, call, tool, input}           → 200 {allow, message?}
 *     POST /beeuni/tools/<name>  {args, agent, directory, …}            → 200 {output, metadata}; 403, 404, 422 {error}
 */
export class Bridge {
  readonly token = randomBytes(32).toString("hex");
  readonly #handlers: BridgeHandlers;
  readonly #server: Server;

  private constructor(handlers: BridgeHandlers) {
    this.#handlers = handlers;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.requestTimeout = 0;
  }

  static async open(handlers: BridgeHandlers): Promise<Bridge> {
    const bridge = new Bridge(handlers);
    bridge.#server.listen(0, "127.0.0.1");
    await once(bridge.#server, "listening");
    return bridge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close").catch(() => {});
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hungUp = new AbortController();
    response.on("close", () => { if (!response.writableEnded) hungUp.abort(); });
    try {
      if (!this.#isAuthorized(request)) return answer(response, 401, { error: "unauthorized" });
      if (request.method !== "POST") return answer(response, 405, { error: "only POST is served here" });
      const body = await readBody(request);
      const tool = /^\/beeuni\/tools\/([^/]+)$/.exec(request.url ?? "")?.[1];
      if (tool !== undefined) return await this.#tool(response, decodeURIComponent(tool), body as ToolRequest, hungUp.signal);
      if (request.url === "/beeuni/authorize") return await this.#authorize(response, body as AuthorizeRequest, hungUp.signal);
      if (request.url !== "/beeuni/hello") return answer(response, 404, { error: `there is no ${request.url}` });
      this.#handlers.hello(body as HelloRequest);
      answer(response, 200, {});
    } catch (thrown) {
      answer(response, 400, { error: (thrown as Error).message });
    }
  }

  async #authorize(response: ServerResponse, request: AuthorizeRequest, signal: AbortSignal): Promise<void> {
    response.writeHead(200, { "content-type": "application/json" });
    const heartbeat = setInterval(() => response.write(" "), HEARTBEAT_MS);
    try {
      response.end(JSON.stringify(await this.#handlers.authorize(request, signal)));
    } catch (thrown) {
      response.end(JSON.stringify({ allow: false, message: `The host could not decide about the call: ${(thrown as Error).message}` }));
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #tool(response: ServerResponse, name: string, request: ToolRequest, signal: AbortSignal): Promise<void> {
    try {
      answer(response, 200, await this.#handlers.runTool(name, { ...request, args: request.args ?? {} }, signal));
    } catch (thrown) {
      const code = thrown instanceof BeeuniError ? thrown.code : "";
      const status = code === "not_found" ? 404 : code === "denied" || code === "forbidden" ? 403 : 422;
      answer(response, status, { error: (thrown as Error).message });
    }
  }

  #isAuthorized({ headers }: IncomingMessage): boolean {
    const [given, wanted] = [Buffer.from(headers.authorization ?? ""), Buffer.from(`Bearer ${this.token}`)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The body's JSON object. Throws when it is none, or too long. */
async function readBody(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) throw new Error(`the body is longer than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("the body is no JSON object");
  return value;
}
