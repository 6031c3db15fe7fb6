import { deniedMessage, mayUseTool, type HostPort, type ToolCallRef } from "@beeuni/harness";
import type { ToolFailure } from "@beeuni/transcript";
import type { CallDetails } from "../call-result.ts";
import type { NativeToolResult } from "../sdk.ts";
import { type ActiveTurn, isBeyondSteps, STEPS_OVER } from "../turn.ts";
import { locator } from "./locator.ts";
import { until } from "./stopping.ts";
import { ABORTED, ToolError, type ToolContext, type ToolInput, type ToolMetadata, type ToolResult } from "./tool.ts";

/** What every call of a session has in common. */
export interface CallServices {
  host: HostPort;
  /** As the host names it, and its real path. */
  workspace: { spelling: string; real: string };
  outputDir: string;
  commandEnv: { readonly [name: string]: string };
  turn: () => ActiveTurn | null;
}

export interface PendingCall {
  tool: string;
  callId: string;
  input: ToolInput;
  signal: AbortSignal;
  onUpdate: (partial: NativeToolResult) => void;
}

/**
 * The one way to a tool: asks the host, then runs it. Whatever happens is a result that the model can read; it never throws.
 * `graceMs`: how long a stopped call may take to clean up before the turn goes on without it.
 */
export async function runCall(
  services: CallServices, pending: PendingCall, graceMs: number, run: (context: ToolContext, call: ToolCallRef) => Promise<ToolResult>,
): Promise<NativeToolResult> {
  const turn = services.turn();
  const { tool, callId, signal, onUpdate } = pending;
  if (turn === null) return failure("failed", "No turn is running.", {});
  if (isBeyondSteps(turn)) return { ...failure("denied", STEPS_OVER, {}), terminate: true };
  const call: ToolCallRef = { agent: turn.agent.name, tool, callId, input: pending.input };
  const report = (details: CallDetails): void => onUpdate({ content: [], details });
  try {
    await authorize(services.host, call, signal);
    // The host has checked this too; a host that did not must not open a tool that the model was never shown.
    if (!mayUseTool(turn.agent.tools, tool)) throw new ToolError("denied", deniedMessage(tool));
    report({ beeuni: "started" });
    const context: ToolContext = {
      workspace: services.workspace.real, outputDir: services.outputDir, commandEnv: services.commandEnv, signal, callId,
      progress: (metadata) => report({ beeuni: "progress", metadata }),
      locate: locator(services, call, (asked) => authorize(services.host, asked, signal)),
    };
    const { output, metadata, images = [] } = await until(signal, graceMs, run(context, call));
    return {
      content: [{ type: "text", text: output }, ...images.map(({ mime, data }) => ({ type: "image" as const, data, mimeType: mime }))],
      details: { beeuni: "done", metadata } satisfies CallDetails,
    };
  } catch (error) {
    if (error instanceof ToolError) return failure(error.kind, error.message, error.metadata);
    if (signal.aborted) return failure("aborted", ABORTED, {});
    return failure("failed", error instanceof Error ? error.message : String(error), {});
  }
}

async function authorize(host: HostPort, call: ToolCallRef, signal: AbortSignal): Promise<void> {
  const answer = await until(signal, 0, host.authorize(call));
  if (!answer.allow) throw new ToolError(answer.kind, answer.message);
  if (signal.aborted) throw new ToolError("aborted", ABORTED);
}

function failure(kind: ToolFailure, message: string, metadata: ToolMetadata): NativeToolResult {
  return { content: [{ type: "text", text: message }], details: { beeuni: "failed", kind, metadata } satisfies CallDetails, isError: true };
}
