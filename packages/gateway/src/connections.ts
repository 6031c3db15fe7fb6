// undici: Node's own http client builds a message object and streams for each response; dispatch hands the bytes over.
import { Client } from "undici";
import type { UpstreamTimeouts } from "./types.ts";

/** One connection with at most one request on it, so that ending the request may close the connection. */
export interface Connection {
  readonly client: Client;
  /** It carried a request before and has stayed open since: the provider may be closing it at this very moment. */
  readonly reused: boolean;
  /** Back to the idle ones; the request's message was whole. */
  release(): void;
  /** Closes the socket at once, whatever state it is in. */
  destroy(): void;
}

/** How long an idle connection is kept when the provider gives no hint of its own: longer than the usual tool call. */
const IDLE_MS = 30_000;
const MOST_IDLE = 64;

/**
 * Connections to one origin, the last used first. A pool of our own and not undici's `Pool`, for two reasons: a request
 * that is aborted while it waits for its connection or its response must close *its* socket and no other, and a request
 * may be sent anew only when its connection was a reused one.
 */
export class Connections {
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #idle: PooledClient[] = [];
  readonly #all = new Set<PooledClient>();

  constructor(origin: string, timeouts: UpstreamTimeouts) {
    this.#origin = origin;
    this.#options = {
      // HTTP/1.1 only: one stream is one socket, so an abort is a closed connection and nothing subtler.
      allowH2: false,
      pipelining: 1,
      connect: { timeout: timeouts.connect },
      headersTimeout: timeouts.head,
      bodyTimeout: timeouts.idle,
      keepAliveTimeout: IDLE_MS,
      maxHeaderSize: 64 * 1024,
    };
  }

  /** `fresh`: never an idle one. */
  acquire(fresh = false): Connection {
    const idle = fresh ? undefined : this.#idle.pop();
    const pooled = idle ?? this.#open();
    const opened = pooled.connects;
    let leased = true;
    const once = (action: () => void) => () => {
      if (!leased) return;
      leased = false;
      action();
    };
    return {
      client: pooled.client,
      get reused() {
        // An idle client whose socket had gone opens a new one by itself.
        return idle !== undefined && pooled.connects === opened;
      },
      release: once(() => (this.#idle.length < MOST_IDLE ? this.#idle.push(pooled) : this.#drop(pooled))),
      destroy: once(() => this.#drop(pooled)),
    };
  }

  destroy(): void {
    for (const pooled of this.#all) this.#drop(pooled);
    this.#idle.length = 0;
  }

  #open(): PooledClient {
    const pooled: PooledClient = { client: new Client(this.#origin, this.#options), connects: 0 };
    this.#all.add(pooled);
    pooled.client.on("connect", () => pooled.connects++);
    // An idle client without a socket is worth nothing; a leased one reports the loss to its request.
    pooled.client.on("disconnect", () => {
      const at = this.#idle.indexOf(pooled);
      if (at < 0) return;
      this.#idle.splice(at, 1);
      this.#drop(pooled);
    });
    return pooled;
  }

  #drop(pooled: PooledClient): void {
    this.#all.delete(pooled);
    pooled.client.destroy().catch(() => {});
  }
}

interface PooledClient {
  client: Client;
  /** Sockets opened so far. */
  connects: number;
}
