import { BeeuniError, ERROR_CODES, type ErrorCode } from "@beeuni/protocol";

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Where `beeuni serve` listens, e.g. `http://127.0.0.1:4500`. */
  url: string;
  /** The server's token. Only the health document can be read without. */
  token?: string;
  /** Another `fetch`, for tests or a proxy. */
  fetch?: Fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
}

interface Call extends RequestOptions {
  method?: string;
  body?: unknown;
  query?: { [name: string]: string | number | undefined };
  headers?: { [name: string]: string };
}

/**
 * Requests to one server. Every failure is a BeeuniError: the server's own, by its code; `no_server` when nothing answers
 * or the answer breaks off. An abort by the caller's signal comes through as it is.
 */
export class Transport {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #fetch: Fetch;

  constructor({ url, token, fetch: fetchOption }: ClientOptions) {
    this.#base = url.replace(/\/+$/, "");
    this.#token = token;
    this.#fetch = fetchOption ?? ((input, init) => fetch(input, init));
  }

  async json<T>(path: string, call: Call = {}): Promise<T> {
    return (await this.answer<T>(path, call)).value;
  }

  /** The answer's JSON and its headers. */
  async answer<T>(path: string, call: Call = {}): Promise<{ value: T; headers: Headers }> {
    const response = await this.send(path, call);
    return { value: await this.#whole(call, async () => (await response.json()) as T), headers: response.headers };
  }

  async bytes(path: string, call: Call = {}): Promise<Uint8Array> {
    const response = await this.send(path, call);
    return await this.#whole(call, async () => new Uint8Array(await response.arrayBuffer()));
  }

  /** The answer of a request that the server took, its body unread; throws otherwise. */
  async send(path: string, call: Call = {}): Promise<Response> {
    const { method = "GET", body, query = {}, headers, signal } = call;
    const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
    const response = await this.#whole(call, () => this.#fetch(`${this.#base}${path}${search.size === 0 ? "" : `?${search}`}`, {
      method,
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }));
    if (!response.ok) throw await errorOf(response, path);
    return response;
  }

  async #whole<T>({ signal }: Call, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (thrown) {
      if (signal?.aborted === true) throw signal.reason;
      if (thrown instanceof SyntaxError) throw new BeeuniError("internal", `${this.#base} did not answer JSON`, { cause: thrown });
      const reason = ((thrown as Error).cause as Error | undefined)?.message || (thrown as Error).message;
      throw new BeeuniError("no_server", `no answer from the server at ${this.#base}: ${reason}`, { hint: "is `beeuni serve` still running?", cause: thrown });
    }
  }
}

const BY_STATUS: { [status: number]: ErrorCode } = {
  400: "invalid_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 413: "body_too_large", 501: "feature_not_supported",
  502: "no_server", 503: "no_server", 504: "timeout",
};

/** The error that an answer tells: the wire's `{code, error, hint?}`, or the nearest by status for any other body. */
async function errorOf(response: Response, path: string): Promise<BeeuniError> {
  const text = await response.text().catch(() => "");
  let body: { code?: unknown; error?: unknown; hint?: unknown } = {};
  try {
    body = Object(JSON.parse(text)) as typeof body;
  } catch {
    // Not one of ours: something else listens there.
  }
  const known = typeof body.code === "string" && Object.hasOwn(ERROR_CODES, body.code) ? (body.code as ErrorCode) : undefined;
  const message = typeof body.error === "string" ? body.error : `the server answered ${response.status} to ${path}${text === "" ? "" : `: ${text.slice(0, 200)}`}`;
  return new BeeuniError(known ?? BY_STATUS[response.status] ?? "internal", message, typeof body.hint === "string" ? { hint: body.hint } : {});
}
