import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelProtocol } from "@beeuni/protocol";
import { pairHeaders } from "../headers.ts";
import { encodeRefusal } from "../refusal.ts";
import type { HeaderPair, Upstream, UpstreamRun, UpstreamSink } from "../upstream.ts";
import { fauxUpstream } from "./provider.ts";
import { replayUpstream, type ReplayOptions } from "./replay.ts";

export interface FauxServerOptions {
  /** Default: any free one. */
  port?: number;
  /** What `/messages` and `/responses` answer with; without it they are 404. */
  messages?: ReplayOptions;
  responses?: ReplayOptions;
  /** Every request, when its body is whole. */
  onRequest?: (request: FauxRequest) => void;
  /** A client's connection closed before its answer was whole. */
  onDisconnect?: (gone: { path: string; moment: "before-head" | "in-body" }) => void;
}

export interface FauxRequest {
  method: string;
  path: string;
  headers: readonly HeaderPair[];
  body: Buffer;
}

export interface FauxServer {
  /** Base URL with its version segment. */
  readonly url: string;
  /** Closes the listener and every connection. */
  close(): Promise<void>;
}

type Upstreams = { [protocol in ModelProtocol]?: Upstream };

const MODELS = JSON.stringify({ object: "list", data: [{ id: "demo", object: "model", created: 0, owned_by: "faux" }] });
const PATHS: { readonly [path: string]: ModelProtocol } = { "/v1/chat/completions": "chat-completions", "/v1/responses": "responses", "/v1/messages": "messages" };

/**
 * The faux model behind a listener of its own: an OpenAI-compatible upstream for tests. It takes any model id, scripts
 * Chat Completions like `faux/demo`, and replays recorded streams on the other protocols.
 */
export async function createFauxServer(options: FauxServerOptions = {}): Promise<FauxServer> {
  const upstreams: Upstreams = {
    "chat-completions": fauxUpstream(),
    ...(options.messages === undefined ? {} : { messages: replayUpstream(options.messages) }),
    ...(options.responses === undefined ? {} : { responses: replayUpstream(options.responses) }),
  };
  const server = createServer((request, response) => void serve(request, response, upstreams, options));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, upstreams: Upstreams, options: FauxServerOptions): Promise<void> {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  let run: UpstreamRun | undefined;
  response.on("drain", () => run?.resume());
  response.on("error", () => {});
  response.on("close", () => {
    if (response.writableFinished) return;
    run?.abort();
    options.onDisconnect?.({ path, moment: response.headersSent ? "in-body" : "before-head" });
  });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const headers = pairHeaders(request.rawHeaders);
  const body = Buffer.concat(chunks);
  options.onRequest?.({ method: request.method ?? "", path, headers, body });
  if (path === "/v1/models") return void response.setHeader("content-type", "application/json").end(MODELS);
  const protocol = Object.hasOwn(PATHS, path) ? PATHS[path]! : "chat-completions";
  const upstream = Object.hasOwn(PATHS, path) ? upstreams[protocol] : undefined;
  if (upstream === undefined) {
    const refusal = encodeRefusal(protocol, { status: 404, code: "not_found", message: `no such path: ${path}` });
    return void response.writeHead(404, refusal.headers.flat()).end(refusal.body);
  }
  const sink: UpstreamSink = {
    attempt() {},
    head: (status, reason, pairs) => void response.writeHead(status, reason, pairs.flat()).flushHeaders(),
    data: (chunk) => response.write(chunk),
    end: () => void response.end(),
    fail: () => void response.destroy(),
  };
  run = upstream({ protocol, caller: headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "", path, headers, body }, sink);
}
