export * from "./scripted/index.ts";
export * from "./suite/recorder.ts";
export * from "./suite/specs.ts";
