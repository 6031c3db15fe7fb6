import type { ServerResponse } from "node:http";
import type { ModelProtocol } from "@beeuni/protocol";
import type { CallEnd, CallRecorder, Route } from "@beeuni/trace";
import { headerValue, reasonPhrase, responseHeaders, withoutSecrets } from "./headers.ts";
import type { RunningCall } from "./principals.ts";
import { encodeRefusal, type Refusal } from "./refusal.ts";
import type { HeaderPair, Upstream, UpstreamRequest, UpstreamRun, UpstreamSink } from "./upstream.ts";

export interface ExchangeParts {
  protocol: ModelProtocol;
  response: ServerResponse;
  recorder: CallRecorder;
  log: (message: string) => void;
}

/**
 * One call from its request to its end: what the upstream sends goes to the client and to the trace as it comes. The
 * trace has the end before the client sees it, and exactly one of complete, cut, aborted and refused is recorded.
 */
export class Exchange implements UpstreamSink, RunningCall {
  /** Resolves when the call's last frame is written. */
  readonly done: Promise<void>;
  readonly #protocol: ModelProtocol;
  readonly #response: ServerResponse;
  readonly #recorder: CallRecorder;
  readonly #log: (message: string) => void;
  readonly #finished: () => void;
  #route: Route | undefined;
  #secrets: readonly string[] = [];
  #run: UpstreamRun | undefined;
  #ended = false;
  #headSent = false;
  /** Bytes that a message of known length still has to come. */
  #left: number | undefined;
  #last: Uint8Array | undefined;

  constructor(parts: ExchangeParts) {
    this.#protocol = parts.protocol;
    this.#response = parts.response;
    this.#recorder = parts.recorder;
    this.#log = parts.log;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#finished = resolve;
    this.#response.on("drain", () => this.#run?.resume());
    // A write after the client has gone is reported here too; its going is handled below.
    this.#response.on("error", () => {});
    // Closed before the end was recorded: the client went away.
    this.#response.on("close", () => void this.#abort("the client went away"));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Sends the request on. `route` is what the trace gets for each attempt; `secrets` are told to nobody, not even by the upstream's answer. */
  start(upstream: Upstream, request: UpstreamRequest, route: Route, secrets: readonly string[]): void {
    if (this.#ended) return;
    this.#route = route;
    this.#secrets = secrets;
    this.#run = upstream(request, this);
  }

  /** Answers in the upstream's place. Nothing was sent to the client yet. */
  async refuse(refusal: Refusal): Promise<void> {
    if (this.#ended) return;
    const { headers, body } = encodeRefusal(this.#protocol, refusal);
    this.#recorder.responseHead(refusal.status, headers);
    this.#recorder.responseBody(body);
    await this.#end("refused", refusal.message);
    this.#response.writeHead(refusal.status, headers.flat());
    this.#response.end(body);
  }

  async abort(why: string): Promise<void> {
    await this.#abort(why);
    this.#response.destroy();
    await this.done;
  }

  attempt(): void {
    if (this.#route !== undefined && !this.#ended) this.#recorder.route(this.#route);
  }

  head(status: number, reason: string, received: readonly HeaderPair[]): void {
    if (this.#ended) return;
    const headers = withoutSecrets(received, this.#secrets);
    this.#recorder.responseHead(status, headers);
    const length = Number(headerValue(headers, "content-length") ?? Number.NaN);
    this.#left = Number.isSafeInteger(length) && length > 0 ? length : undefined;
    this.#response.sendDate = false;
    this.#response.writeHead(status, reasonPhrase(reason), responseHeaders(headers).flat());
    this.#headSent = true;
    // The head leaves now, in one packet with the chunks that came with it: a client that streams waits for it.
    const socket = this.#response.socket;
    socket?.cork();
    this.#response.flushHeaders();
    process.nextTick(() => socket?.uncork());
  }

  data(chunk: Uint8Array): boolean {
    if (this.#ended) return true;
    this.#recorder.responseBody(chunk);
    if (this.#left !== undefined && (this.#left -= chunk.byteLength) <= 0) {
      // The last bytes of a message of known length are its end: they wait for the trace.
      this.#last = chunk;
      return true;
    }
    return this.#response.write(chunk);
  }

  end(): void {
    if (this.#ended) return;
    void this.#end("complete").then(() => this.#response.end(this.#last));
  }

  fail(message: string): void {
    if (this.#ended) return;
    const where = this.#route === undefined ? "the upstream" : `${this.#route.provider} (${this.#route.upstream})`;
    if (!this.#headSent) {
      this.#log(`${where} gave no answer: ${message}`);
      // An answer that can't be written either must not become a fault of the process.
      this.refuse({ status: 502, code: "upstream_unavailable", message: `${where} gave no answer: ${message}` }).catch(() => this.#response.destroy());
      return;
    }
    this.#log(`${where} broke off: ${message}`);
    void this.#end("cut", message).then(() => breakOff(this.#response));
  }

  async #abort(why: string): Promise<void> {
    if (this.#ended) return;
    this.#run?.abort();
    await this.#end("aborted", why);
  }

  async #end(reason: CallEnd, error?: string): Promise<void> {
    this.#ended = true;
    try {
      await this.#recorder.end(reason, error);
    } catch (failure) {
      // The owner of the trace hears of it from its flush; the client's answer is whole all the same.
      this.#log(`call ${this.#recorder.number}: its end is not in the trace: ${(failure as Error).message}`);
    }
    this.#finished();
  }
}

/**
 * Ends a response that the upstream cut: the client gets the bytes that came, then a closed connection without the
 * message's end. Never a clean end, which would make half an answer look like a whole one.
 */
function breakOff(response: ServerResponse): void {
  const socket = response.socket;
  if (socket === null || socket.destroyed) response.destroy();
  else if (response.req.httpVersion === "1.0") socket.resetAndDestroy();
  else socket.end(() => socket.destroy());
}
