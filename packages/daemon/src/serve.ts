import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { BeeuniError } from "@beeuni/protocol";
import type { LocalDaemon } from "./local-daemon.ts";

const MEGABYTE = 1024 * 1024;

export interface ServeOptions {
  /** Clients send it as `Authorization: Bearer …`. */
  token: string;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default: a free one. */
  port?: number;
  /** Bytes of a request's body; default 64 MiB. */
  bodyLimit?: number;
  /** A client of the event stream that is this many bytes behind is dropped; default 8 MiB. */
  maxBehind?: number;
  /** Default 10 000. */
  heartbeatMs?: number;
}

export interface DaemonServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Ends every connection and frees the port. The daemon stays open: it is its owner's. */
  close(): Promise<void>;
}

/** Serves a daemon's sessions over HTTP. Throws `port_in_use`. */
export async function serveDaemon(daemon: LocalDaemon, options: ServeOptions): Promise<DaemonServer> {
  const host = options.host ?? "127.0.0.1";
  daemon.facts.hasToken = true;
  // Loaded when something is served: a single run has no use for them, and they take longer to load than its turn adds.
  // @hono/node-server: hono on node:http, with Node's own response behind each request.
  const [{ createAdaptorServer }, { createApp }] = await Promise.all([import("@hono/node-server"), import("./routes/app.ts")]);
  const app = createApp({
    daemon, host, token: options.token, bodyLimit: options.bodyLimit ?? 64 * MEGABYTE, maxBehind: options.maxBehind ?? 8 * MEGABYTE,
    ...(options.heartbeatMs === undefined ? {} : { heartbeatMs: options.heartbeatMs }),
  });
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { keepAliveTimeout: 60_000 } }) as Server;
  await listen(server, host, options.port ?? 0);
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): BeeuniError {
  const why = error.code === "EADDRINUSE" ? "the port is taken" : error.code === "EACCES" ? "this port needs more rights" : (error.code ?? error.message);
  return new BeeuniError("port_in_use", `the daemon can't listen on ${host}:${port}: ${why}`, { hint: "choose another port with --port, or leave it out for a free one", cause: error });
}
