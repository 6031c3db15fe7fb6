export * from "./parts.ts";
export * from "./events.ts";
export * from "./state.ts";
export * from "./log-types.ts";
export * from "./reduce.ts";
export * from "./history.ts";
export { sessionEntry, type SessionTree } from "./entry.ts";
export * from "./project-opencode/index.ts";
