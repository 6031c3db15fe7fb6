import type { Json } from "@beeuni/protocol";
import type { HarnessEvent } from "@beeuni/harness";
import type { ToolFailure } from "@beeuni/transcript";
import type { CallIds } from "./call-ids.ts";
import type { NativeToolPart } from "./native-events.ts";
import type { OpenMessage } from "./open-message.ts";

/** The host's no: why, and what the model reads. */
export interface Refusal { kind: ToolFailure; message: string }

interface Call {
  /** Ours. */
  id: string;
  /** OpenCode's. */
  native: string;
  state: "called" | "started" | "ended";
  refusal: Refusal | null;
}


/**
 * The tool calls of one native session. OpenCode says that a call runs before the host has decided; for us it starts when
 * the host has allowed it.
 */
export class ToolCalls {
  /** The turn was told to stop: calls that fail now were stopped. */
  isStopping = false;
  readonly #ids: CallIds;
  readonly #calls = new Map<string, Call>();
  /** The newest call of each provider's id. */
  readonly #byNative = new Map<string, Call>();
  /** What the host has decided about calls that have not been reported yet. */
  readonly #early = new Map<string, "allowed" | Refusal>();

  constructor(ids: CallIds) {
    this.#ids = ids;
  }

  idOf(native: string): string | undefined {
    return this.#open(native)?.id;
  }

  get running(): string[] {
    return [...this.#calls.values()].filter(({ state }) => state === "started").map(({ native }) => native);
  }

  update(part: NativeToolPart, message: OpenMessage): HarnessEvent[] {
    const { state } = part;
    if (state.status === "pending") return [];
    const known = this.#calls.get(part.id);
    if (known === undefined && message.isEnded) return [];
    const { call, events } = known === undefined ? this.#called(part, message) : { call: known, events: [] };
    if (call.state === "ended") return events;
    switch (state.status) {
      case "running":
        return call.state === "started" && state.metadata !== undefined ? [...events, { type: "tool.progress", callId: call.id, metadata: toJson(state.metadata) }] : events;
      case "completed":
        events.push(...start(call));
        call.state = "ended";
        if (part.tool === UNREADABLE) return [...events, { type: "tool.error", callId: call.id, kind: "failed", error: String(part.state.input["error"]) }];
        if (STOPPED_COMMAND.test(state.output)) return [...events, { type: "tool.error", callId: call.id, kind: "aborted", error: state.output, metadata: toJson(state.metadata) }];
        return [...events, { type: "tool.end", callId: call.id, output: state.output, metadata: { ...toJson(state.metadata), ...titleOf(part.tool, state.title) } }];
      case "error": {
        call.state = "ended";
        const { kind, message: error } = call.refusal ?? { kind: this.isStopping || state.metadata?.["interrupted"] === true ? "aborted" as const : "failed" as const, message: state.error };
        return [...events, { type: "tool.error", callId: call.id, kind, error, ...(state.metadata === undefined ? {} : { metadata: toJson(state.metadata) }) }];
      }
    }
  }

  allowed(native: string): HarnessEvent[] {
    const call = this.#open(native);
    if (call !== undefined) return start(call);
    this.#early.set(native, "allowed");
    return [];
  }

  refused(native: string, refusal: Refusal): void {
    const call = this.#open(native);
    if (call !== undefined) call.refusal = refusal;
    else this.#early.set(native, refusal);
  }

  close(kind: ToolFailure): HarnessEvent[] {
    return [...this.#calls.values()].filter(({ state }) => state !== "ended").map((call) => {
      call.state = "ended";
      const error = kind === "aborted" ? "Tool execution aborted" : "The call was cut off; it may or may not have taken effect.";
      return { type: "tool.error", callId: call.id, kind: call.refusal?.kind ?? kind, error: call.refusal?.message ?? error };
    });
  }

  #open(native: string): Call | undefined {
    const call = this.#byNative.get(native);
    return call?.state === "ended" ? undefined : call;
  }

  #called(part: NativeToolPart, message: OpenMessage): { call: Call; events: HarnessEvent[] } {
    const call: Call = { id: this.#ids.claim(part.callID), native: part.callID, state: "called", refusal: null };
    this.#calls.set(part.id, call);
    this.#byNative.set(part.callID, call);
    // What the model asked for stands in the stand-in's arguments.
    const { tool, input } = part.tool === UNREADABLE ? { tool: String(part.state.input["tool"]), input: {} } : { tool: part.tool, input: part.state.input };
    const events: HarnessEvent[] = [...message.begin(), { type: "tool.call", callId: call.id, message: message.key, tool, input }];
    const early = this.#early.get(part.callID);
    this.#early.delete(part.callID);
    if (early === "allowed") events.push(...start(call));
    else if (early !== undefined) call.refusal = early;
    return { call, events };
  }
}

/** OpenCode's stand-in for a call that it could not make anything of. It does nothing but say so. */
export const UNREADABLE = "invalid";

/** A command that was stopped ends as a result that says so, when it ends fast enough. */
const STOPPED_COMMAND = /<shell_metadata>\n(?:[^]*\n)?User aborted the command\n<\/shell_metadata>$/;

function start(call: Call): HarnessEvent[] {
  if (call.state !== "called") return [];
  call.state = "started";
  return [{ type: "tool.start", callId: call.id }];
}

/** OpenCode's title of a result, where it says more than the tool's name. */
function titleOf(tool: string, title: string | undefined): { [key: string]: Json } {
  return title === undefined || title === "" || title === tool ? {} : { title };
}

/** Only what JSON carries. */
function toJson(fields: { [key: string]: unknown } | undefined): { [key: string]: Json } {
  return JSON.parse(JSON.stringify(fields ?? {})) as { [key: string]: Json };
}
