/** The faux model and the replayer as an upstream of their own: for tests, of this project and of others. */
export { createFauxServer, type FauxRequest, type FauxServer, type FauxServerOptions } from "./server.ts";
export { fauxProvider, fauxUpstream, type FauxDisconnect, type FauxOptions } from "./provider.ts";
export { replayUpstream, type ReplayOptions } from "./replay.ts";
export { parseScript, type Script, type Step } from "./directives.ts";
