export * from "./types.ts";
export type { HeaderPair, Upstream, UpstreamRequest, UpstreamRun, UpstreamSink } from "./upstream.ts";
export { createGateway } from "./gateway.ts";
export { fauxProvider, type FauxDisconnect, type FauxOptions } from "./faux/provider.ts";
