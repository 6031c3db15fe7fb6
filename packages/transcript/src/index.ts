export * from "./parts.ts";
export * from "./events.ts";
export * from "./state.ts";
export * from "./log-types.ts";
