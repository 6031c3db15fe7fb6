export * from "./calls.ts";
export * from "./client.ts";
export * from "./event-stream.ts";
export * from "./requests.ts";
export * from "./sessions.ts";
export { foldItem, foldItems, type StreamItem } from "./stream-item.ts";
export type { ClientOptions, Fetch, RequestOptions } from "./transport.ts";
export { BeeuniError, runtimeSupports } from "@beeuni/protocol";
