export * from "./scripted/index.ts";
export * from "./suite/index.ts";
