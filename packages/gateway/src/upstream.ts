import type { ModelProtocol } from "@beeuni/protocol";

/** Name and value, in the order and the spelling of the wire. */
export type HeaderPair = readonly [string, string];

/** A request as it goes to whoever serves the model: credentials in, nothing of the gateway's left. */
export interface UpstreamRequest {
  protocol: ModelProtocol;
  /** Whoever asks (the principal's id). It is not sent. */
  caller: string;
  /** Below the provider's base URL, with the query: `/chat/completions`. */
  path: string;
  headers: readonly HeaderPair[];
  body: Buffer;
}

/**
 * What happened to a request. Calls come in this order: `attempt` at least once, `head` and any number of `data`, then
 * exactly one of `end` and `fail`. Nothing comes after `abort()`.
 */
export interface UpstreamSink {
  /** The request is on its way. Comes again when it is sent anew, which happens before `head` only. */
  attempt(): void;
  head(status: number, reason: string, headers: readonly HeaderPair[]): void;
  /** False: hold the next chunk back until `resume()`. */
  data(chunk: Uint8Array): boolean;
  /** The message is whole as HTTP says. */
  end(): void;
  /** No answer came, or (after `head`) it broke off. `message` is for people and names no secret. */
  fail(message: string): void;
}

/** A request under way. */
export interface UpstreamRun {
  resume(): void;
  /** The client is gone: whoever serves the model sees a closed connection at once. */
  abort(): void;
}

/** Sends one request; reports through `sink`, never by an exception. */
export type Upstream = (request: UpstreamRequest, sink: UpstreamSink) => UpstreamRun;
