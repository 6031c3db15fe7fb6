import { BeeuniError, ERROR_CODES, type ErrorCode } from "@beeuni/protocol";

export interface ClientOptions {
  /** Where `beeuni serve` listens, e.g. `http://127.0.0.1:4500`. */
  url: string;
  /** The server's token. Only the health document can be read without. */
  token?: string;
  /** Another `fetch`, for tests or a proxy. */
  fetch?: typeof fetch;
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

/** One HTTP conversation partner. Every failure is a `BeeuniError`: the server's own, or `provider_error` when it can't be reached. */
export class Transport {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;

  constructor({ url, token, fetch: fetchOption }: ClientOptions) {
    this.#base = url.replace(/\/+$/, "");
    this.#token = token;
    this.#fetch = fetchOption ?? fetch;
  }

  async json<T>(path: string, call: Call = {}): Promise<T> {
    return (await (await this.send(path, call)).json()) as T;
  }

  async bytes(path: string, call: Call = {}): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send(path, call)).arrayBuffer());
  }

  /** The answer of a request that the server took; throws otherwise. */
  async send(path: string, { method = "GET", body, query, headers, signal }: Call = {}): Promise<Response> {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
    let response: Response;
    try {
      response = await this.#fetch(url, {
        method,
        headers: {
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (thrown) {
      if (signal?.aborted === true) throw signal.reason;
      throw new BeeuniError("provider_error", `no answer from the server at ${this.#base}`, { hint: "is `beeuni serve` still running?", cause: thrown });
    }
    if (!response.ok && response.status !== 304) throw await errorOf(response, path);
    return response;
  }
}

const BY_STATUS: { [status: number]: ErrorCode } = { 400: "invalid_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 501: "feature_not_supported" };

async function errorOf(response: Response, path: string): Promise<BeeuniError> {
  const text = await response.text().catch(() => "");
  let body: { code?: unknown; error?: unknown; hint?: unknown } = {};
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // Not one of ours: something else listens there.
  }
  const known = typeof body.code === "string" && body.code in ERROR_CODES ? (body.code as ErrorCode) : undefined;
  const message = typeof body.error === "string" ? body.error : `the server answered ${response.status} to ${path}`;
  return new BeeuniError(known ?? BY_STATUS[response.status] ?? "internal", message, typeof body.hint === "string" ? { hint: body.hint } : {});
}
