import type { Dispatcher } from "undici";
import { Connections, type Connection } from "./connections.ts";
import type { UpstreamTimeouts } from "./types.ts";
import type { HeaderPair, Upstream, UpstreamRequest, UpstreamRun, UpstreamSink } from "./upstream.ts";

export interface HttpUpstream {
  send: Upstream;
  /** Closes every connection. */
  destroy(): void;
}

/** Sends requests to the HTTP server at `baseUrl` and hands its bytes back as they come. */
export function httpUpstream(baseUrl: string, timeouts: UpstreamTimeouts): HttpUpstream {
  const url = new URL(baseUrl);
  const prefix = url.pathname.replace(/\/+$/, "");
  const connections = new Connections(url.origin, timeouts);
  return {
    send: (request, sink) => new Run(connections, prefix, request, sink, timeouts),
    destroy: () => connections.destroy(),
  };
}

/** One request until its end, over one connection or two. */
class Run implements UpstreamRun, Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #sink: UpstreamSink;
  readonly #timeouts: UpstreamTimeouts;
  #connection: Connection;
  #controller: Dispatcher.DispatchController | undefined;
  #answering = false;
  #aborted = false;

  constructor(connections: Connections, prefix: string, request: UpstreamRequest, sink: UpstreamSink, timeouts: UpstreamTimeouts) {
    this.#connections = connections;
    this.#options = { method: "POST", path: prefix + request.path, headers: request.headers.flat(), body: request.body };
    this.#sink = sink;
    this.#timeouts = timeouts;
    this.#connection = connections.acquire();
    this.#dispatch();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#aborted = true;
    // Not `controller.abort()`: there is no controller before the connection stands.
    this.#connection.destroy();
  }

  #dispatch(): void {
    this.#sink.attempt();
    this.#connection.client.dispatch(this.#options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  /** The first byte of an answer is here: from now on nothing is sent again. */
  onResponseStarted(): void {
    this.#answering = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, reason?: string): void {
    // 1xx answers are between the two ends of one connection.
    if (status >= 200) this.#sink.head(status, reason ?? "", rawPairs(controller.rawHeaders));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#sink.data(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#connection.release();
    this.#sink.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const stale = this.#connection.reused && !this.#answering && isConnectionLoss(error);
    this.#connection.destroy();
    if (this.#aborted) return;
    // The provider closed an idle connection while the request was on its way: it has not been read.
    if (stale) {
      this.#connection = this.#connections.acquire(true);
      this.#dispatch();
    } else {
      this.#sink.fail(describeFailure(error, this.#timeouts));
    }
  }
}

function rawPairs(raw: Dispatcher.DispatchController["rawHeaders"]): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  if (!Array.isArray(raw)) return pairs;
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([text(raw[at]!), text(raw[at + 1]!)]);
  return pairs;
}

function text(value: Buffer | string): string {
  return typeof value === "string" ? value : value.toString("latin1");
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.name;
}

function isConnectionLoss(error: Error): boolean {
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(codeOf(error));
}

/** What happened, by its code: messages of the layers below may hold header values. */
function describeFailure(error: Error, timeouts: UpstreamTimeouts): string {
  const code = codeOf(error);
  switch (code) {
    case "ECONNREFUSED": return "connection refused";
    case "ENOTFOUND":
    case "EAI_AGAIN": return "its host name is not known";
    case "UND_ERR_CONNECT_TIMEOUT": return `no connection within ${timeouts.connect / 1000} s`;
    case "UND_ERR_HEADERS_TIMEOUT": return `no answer within ${timeouts.head / 1000} s`;
    case "UND_ERR_BODY_TIMEOUT": return `silent for ${timeouts.idle / 1000} s`;
    case "UND_ERR_SOCKET":
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
    case "ECONNRESET":
    case "EPIPE": return "the connection was closed before the answer was whole";
    default: return code.startsWith("HPE_") ? `its answer is not valid HTTP (${code})` : code;
  }
}
