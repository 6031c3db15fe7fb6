import type { Call } from "@beeuni/protocol";
import type { RequestOptions, Transport } from "./transport.ts";

/** The model requests behind a session's messages. `id` is a call's, a message's or a part's. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(session: string, options?: RequestOptions): Promise<Call[]> {
    return this.#transport.json("/beeuni/runtime/calls", { query: { session }, ...options });
  }

  /** Throws `call_not_found` when the link is unknown, saying why; never a guess. */
  get(id: string, options?: RequestOptions & { session?: string }): Promise<Call> {
    const { session, ...rest } = options ?? {};
    return this.#transport.json(path(id), { query: { session }, ...rest });
  }

  /** The request's body, exactly as the harness sent it. */
  request(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.bytes(`${path(id)}/request`, options);
  }

  /** The response's body, exactly as the provider sent it (with its content encoding). */
  response(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.bytes(`${path(id)}/response`, options);
  }
}

function path(id: string): string {
  return `/beeuni/runtime/calls/${encodeURIComponent(id)}`;
}
