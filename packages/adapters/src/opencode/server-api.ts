// A connection pool of the session's own: a prompt's answer may take hours, which Node's global fetch cuts off.
import { Agent, request } from "undici";

/** OpenCode answered with an error status, or with something that is no JSON. */
export class ServerError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ServerError";
    this.status = status;
  }
}

/** OpenCode's HTTP interface for one workspace. Methods reject with ServerError, or with the connection's error. */
export class ServerApi {
  readonly url: string;
  readonly #pool = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 });
  readonly #authorization: string;
  readonly #directory: string;

  constructor(url: string, password: string, directory: string) {
    this.url = url;
    this.#authorization = `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;
    this.#directory = directory;
  }

  async get<T>(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return await this.#json<T>("GET", path, undefined, signal);
  }

  async post<T>(path: string, body?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return await this.#json<T>("POST", path, body, signal);
  }

  /** The chunks of `GET /event`, as they come. */
  async events(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { statusCode, body } = await this.#send("GET", "/event", undefined, signal);
    if (statusCode !== 200) throw new ServerError(statusCode, `GET /event was answered with ${statusCode}: ${(await body.text()).slice(0, 500)}`);
    return body;
  }

  /** Drops all connections. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #json<T>(method: "GET" | "POST", path: string, body: unknown, signal: AbortSignal | undefined): Promise<T> {
    const answer = await this.#send(method, path, body, signal);
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new ServerError(answer.statusCode, `${method} ${path} was answered with ${answer.statusCode}: ${messageOf(text)}`);
    try {
      return (text === "" ? undefined : JSON.parse(text)) as T;
    } catch {
      throw new ServerError(answer.statusCode, `${method} ${path} was answered with something that is no JSON: ${text.slice(0, 200)}`);
    }
  }

  #send(method: "GET" | "POST", path: string, body: unknown, signal: AbortSignal | undefined): ReturnType<typeof request> {
    return request(this.url + path, {
      method, dispatcher: this.#pool,
      query: { directory: this.#directory },
      headers: { authorization: this.#authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

/** OpenCode's own sentence of an error body. */
function messageOf(text: string): string {
  try {
    const { message, data, name } = JSON.parse(text) as { message?: string; data?: { message?: string }; name?: string };
    return data?.message ?? message ?? name ?? text.slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}
