export * from "./calls.ts";
export * from "./client.ts";
export * from "./events.ts";
export * from "./requests.ts";
export * from "./sessions.ts";
export type { ClientOptions, RequestOptions } from "./transport.ts";
export * from "./watch.ts";
export { runtimeSupports } from "@beeuni/protocol";
