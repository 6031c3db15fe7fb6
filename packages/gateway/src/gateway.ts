import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BeeuniError, type ModelProtocol } from "@beeuni/protocol";
import { serveCall } from "./call.ts";
import { fauxProvider } from "./faux/provider.ts";
import { httpUpstream, type HttpUpstream } from "./http-upstream.ts";
import { encodeModels, modelListProtocol } from "./model-list.ts";
import { Principals, type Holder } from "./principals.ts";
import { encodeRefusal, type Refusal } from "./refusal.ts";
import { endpointModels, resolveModel, routesOf } from "./routing.ts";
import { isOwnHost, isOwnOrigin, parseTarget } from "./target.ts";
import type { Gateway, GatewayOptions, PrincipalSpec, Provider, UpstreamTimeouts } from "./types.ts";

const MEGABYTE = 1024 * 1024;
const TIMEOUTS: UpstreamTimeouts = { connect: 10_000, head: 30 * 60_000, idle: 15 * 60_000 };

/**
 * Starts the gateway. Every model request of every principal passes through it, untouched and recorded; keys stay here.
 * Throws `port_in_use` when it can't listen.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const providers = options.providers.some((provider) => provider.id === "faux") ? options.providers : [...options.providers, fauxProvider()];
  const bodyLimit = options.bodyLimit ?? 64 * MEGABYTE;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const log = options.log ?? (() => {});
  const principals = new Principals();
  const upstreams = new Map<Provider, HttpUpstream>();
  let closed = false;

  function upstreamOf(provider: Provider) {
    if (provider.serve !== undefined) return provider.serve;
    const known = upstreams.get(provider) ?? httpUpstream(provider.baseUrl!, timeouts);
    upstreams.set(provider, known);
    return known.send;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(request.url ?? "");
    const protocol = target.kind === "models" ? modelListProtocol(request) : target.protocol;
    const refuse = (refusal: Refusal) => answer(response, protocol, refusal);
    if (!isOwnHost(request.headers.host, options.hostNames) || !isOwnOrigin(request.headers.origin, options.hostNames)) {
      return refuse({ status: 403, code: "forbidden", message: "this address does not serve that host name" });
    }
    if (target.token === undefined) return refuse({ status: 404, code: "not_found", message: "no such path; model requests go to /s/<token>/v1/…" });
    const holder = principals.find(target.token);
    if (holder === undefined) return refuse({ status: 401, code: "unauthorized", message: "this address is not, or no longer, valid; its session may be closed" });
    if (target.kind === "unknown") return refuse({ status: 404, code: "not_found", message: `no such path: ${target.masked.slice(0, 200)}` });
    const method = target.kind === "models" ? "GET" : "POST";
    if (request.method !== method) {
      response.setHeader("allow", method);
      return refuse({ status: 405, code: "method_not_allowed", message: `${target.masked.slice(0, 200)} takes ${method} only` });
    }
    if (target.kind === "models") return listModels(holder, target.model, protocol, response);
    await serveCall({ holder, target, bodyLimit, upstreamOf, log: (message) => log("warning", `${holder.id}: ${message}`) }, request, response);
  }

  const server = createServer({ keepAliveTimeout: 120_000, maxHeaderSize: 64 * 1024 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log("error", `a model request can't be served: ${(error as Error).message}`);
      const storage = error instanceof BeeuniError && error.code === "storage_failed";
      const message = storage ? `the wire trace can't be written: ${error.message}` : "internal error of the gateway";
      answer(response, "chat-completions", { status: storage ? 507 : 500, code: storage ? "storage_failed" : "internal", message });
    });
  });
  const url = await listen(server, options.host ?? "127.0.0.1", options.port ?? 0);

  return {
    providers,
    url,
    resolve: (ref) => resolveModel(providers, ref),
    principal(spec: PrincipalSpec) {
      if (closed) throw new BeeuniError("internal", "the gateway is closed");
      const routes = routesOf(providers, spec.models);
      const token = principals.admit({ id: spec.id, trace: spec.trace, routes, running: new Set() });
      return { id: spec.id, endpoint: { root: `${url}/s/${token}`, models: endpointModels(routes) }, revoke: () => principals.revoke(token) };
    },
    async close() {
      if (closed) return;
      closed = true;
      const stopped = new Promise((resolve) => server.close(resolve));
      await principals.revokeAll("the gateway was closed");
      server.closeAllConnections();
      for (const upstream of upstreams.values()) upstream.destroy();
      await stopped;
    },
  };
}

function listModels(holder: Holder, wanted: string | undefined, protocol: ModelProtocol, response: ServerResponse): void {
  const value = encodeModels(protocol, holder.routes, wanted);
  if (value === undefined) return answer(response, protocol, { status: 404, code: "model_not_found", message: `this session has no model "${wanted?.slice(0, 200)}"` });
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

/** An answer outside of any recorded call. */
function answer(response: ServerResponse, protocol: ModelProtocol, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const { headers, body } = encodeRefusal(protocol, refusal);
  response.writeHead(refusal.status, Object.fromEntries(headers));
  response.end(body);
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): BeeuniError {
  const why = error.code === "EADDRINUSE" ? "the port is taken" : error.code === "EACCES" ? "this port needs more rights" : (error.code ?? error.message);
  return new BeeuniError("port_in_use", `the gateway can't listen on ${host}:${port}: ${why}`, { hint: "choose another port, or none for a free one", cause: error });
}
