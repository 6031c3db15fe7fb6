export { createScriptedHarness } from "./harness.ts";
export type { ScriptedHarness, ScriptedOptions } from "./harness.ts";
export { parseScript, ScriptError } from "./script.ts";
export type { Step } from "./script.ts";
