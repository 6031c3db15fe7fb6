export * from "./types.ts";
export type { HeaderPair, Upstream, UpstreamRequest, UpstreamRun, UpstreamSink } from "./upstream.ts";
export { createGateway } from "./gateway.ts";
export { fauxProvider, type FauxDisconnect, type FauxOptions } from "./faux/provider.ts";
export { loadProviders, type LoadedProviders } from "./providers/load.ts";
export { findLocalServers, LOCAL_SERVERS, type LocalServerOptions } from "./providers/local-servers.ts";
export { KNOWN_PROVIDERS, type KnownProvider } from "./providers/known.ts";
