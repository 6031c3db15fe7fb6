import type { TurnError, Usage } from "@beeuni/protocol";
import type { HarnessEvent } from "@beeuni/harness";
import { modelError } from "./model-error.ts";
import type { AssistantNativeMessage, NativeUsage } from "./native-events.ts";

/** The end of an assistant message: how it finished, what it cost, what went wrong. Pure. */
export function messageEnd(key: string, native: AssistantNativeMessage): HarnessEvent {
  const error = messageError(native);
  const isWhole = native.stopReason !== "error" && native.stopReason !== "aborted";
  return {
    type: "message.end", key, usage: isWhole ? usageOf(native.usage) : null, finish: FINISH[native.stopReason] ?? null, responseId: native.responseId ?? null,
    ...(error === undefined ? {} : { error }),
  };
}

const FINISH: { [reason: string]: string } = { stop: "stop", length: "length", toolUse: "tool-calls" };

/** What went wrong with a message; undefined when it is whole. */
export function messageError({ stopReason, errorMessage }: AssistantNativeMessage): TurnError | undefined {
  if (stopReason === "error") return modelError(errorMessage ?? "the model call failed");
  if (stopReason === "aborted") return { code: "aborted", message: "The answer was stopped." };
  if (stopReason === "length") return { code: "output_length", message: "The model's answer was cut off at its output limit." };
  return undefined;
}

/**
 * Pi fills in zeros when the provider reported nothing: no answer costs no tokens at all. (Of an answer that broke off some
 * providers have told a part by then; that is not what it cost.)
 */
function usageOf(usage: NativeUsage): Usage | null {
  const { input, output, cacheRead, cacheWrite, reasoning = 0 } = usage;
  if (input + output + cacheRead + cacheWrite === 0) return null;
  return { input, output, reasoning, cacheRead, cacheWrite };
}
