import type { HostToolSpec } from "@beeuni/protocol";
import type { NativeTool } from "../sdk.ts";
import { tolerantEditInput } from "./edit.ts";
import type { CallResources } from "./call-resources.ts";
import { builtinTools } from "./index.ts";
import { askQuestions, QUESTION } from "./question.ts";
import { runCall, type CallServices, type PendingCall } from "./run-call.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import type { ToolCallRef } from "@beeuni/harness";

type Run = (context: ToolContext, call: ToolCallRef, pending: PendingCall) => Promise<ToolResult>;

/** A stopped command is killed within this time; a host tool that does not listen is left behind sooner. */
const BUILTIN_GRACE_MS = 1_500;
const HOST_TOOL_GRACE_MS = 300;

/**
 * All tools of a session as Pi takes them: the built-in ones, `question`, and the host's, which replace a built-in of the
 * same name. Every one is registered for every agent; `isHidden` says what the model of the running turn is not told of.
 * A call of a hidden tool still arrives here, and is denied with a text that says so.
 */
export function nativeTools(
  services: CallServices, hostTools: readonly HostToolSpec[], resources: CallResources, isHidden: (tool: string) => boolean,
): NativeTool[] {
  const host = hostTools.map((tool) => hostTool(services, tool));
  const replaced = new Set(hostTools.map(({ name }) => name));
  const builtin = [
    ...builtinTools(resources).map((tool) => define(services, tool, BUILTIN_GRACE_MS, (context, _call, { input }) => tool.run(input, context))),
    define(services, QUESTION, 0, (_context, call, { input }) => askQuestions(services.host, call, input)),
  ].filter(({ name }) => !replaced.has(name));
  for (const tool of builtin) if (tool.name === "edit") tool.prepareArguments = tolerantEditInput;
  const tools = [...builtin, ...host];
  const names = tools.map(({ name }) => name);
  // Pi asks each tool; one of them answers for all.
  if (tools[0] !== undefined) tools[0].prepareLoadout = () => ({ hiddenDeclarations: names.filter(isHidden) });
  return tools;
}

/** Project tools check their own arguments, the same on every harness: Pi sees a schema that takes anything and shows the true one. */
function hostTool(services: CallServices, { name, description, parameters }: HostToolSpec): NativeTool {
  const anything = Object.defineProperty({}, "toJSON", { value: () => parameters, enumerable: false });
  return define(services, { name, description, parameters: anything }, HOST_TOOL_GRACE_MS, (_context, call, { signal }) => services.host.runTool(call, signal));
}

function define(services: CallServices, { name, description, parameters }: { name: string; description: string; parameters: object }, graceMs: number, run: Run): NativeTool {
  return {
    name, label: name, description, parameters,
    execute: (callId, input, signal = new AbortController().signal, onUpdate = () => {}) => {
      const pending: PendingCall = { tool: name, callId, input, signal, onUpdate };
      return runCall(services, pending, graceMs, (context, call) => run(context, call, pending));
    },
  };
}
