import type { ModelRef } from "@beeuni/protocol";
import type { HarnessEvent, TurnEnd } from "@beeuni/harness";
import { callDetails } from "./call-result.ts";
import { messageEnd, messageError } from "./message-end.ts";
import { modelError } from "./model-error.ts";
import type { AssistantNativeMessage, NativeBlock, NativeEvent, NativeUpdate } from "./native-events.ts";

/**
 * Turns what Pi reports during one turn into our events. Pure: no clock, no I/O; `now` comes with each event. Keys count
 * the assistant messages of the turn and the blocks of a message, so they are the same whenever the same events come.
 *
 * A message begins when its first block does: a request that failed before it brought anything leaves no empty message
 * when Pi tries again.
 */
export class TurnTranslator {
  readonly #turn: string;
  readonly #model: ModelRef;
  #messages = 0;
  #current: OpenMessage | null = null;
  /** A message that failed empty: shown when no retry follows. */
  #failedEmpty: AssistantNativeMessage | null = null;
  #last: AssistantNativeMessage | null = null;
  readonly #running = new Set<string>();

  constructor(turn: string, model: ModelRef) {
    this.#turn = turn;
    this.#model = model;
  }

  translate(event: NativeEvent, now: number): HarnessEvent[] {
    switch (event.type) {
      case "message_start":
        if (event.message.role === "assistant") this.#current = { key: "", blocks: new Map() };
        return [];
      case "message_update":
        return this.#update(event.assistantMessageEvent);
      case "message_end":
        return event.message.role === "assistant" ? this.#messageEnd(event.message) : [];
      case "tool_execution_start":
        this.#running.add(event.toolCallId);
        return [];
      case "tool_execution_update":
        return this.#toolUpdate(event.toolCallId, event.partialResult.details);
      case "tool_execution_end":
        return this.#toolEnd(event);
      case "auto_retry_start":
        this.#failedEmpty = null;
        return [{ type: "retry", attempt: event.attempt, message: modelError(event.errorMessage).message, nextAt: now + event.delayMs }];
      case "agent_settled":
        return this.#settled();
      default:
        return [];
    }
  }

  /** How the turn ended, by its last message. `isBeyondSteps`: the model still called tools when it had no step left. */
  end({ isAborted, isBeyondSteps }: { isAborted: boolean; isBeyondSteps: boolean }): TurnEnd {
    const last = this.#last;
    if (isAborted || last?.stopReason === "aborted") return { outcome: "aborted" };
    if (last === null) return { outcome: "failed", error: { code: "harness", message: "Pi ended the turn without an answer of the model" } };
    const error = messageError(last);
    if (error !== undefined) return { outcome: "failed", error };
    if (last.stopReason === "toolUse" && isBeyondSteps) {
      return { outcome: "failed", error: { code: "steps", message: "The agent's steps for the turn are used up, and the model kept calling tools." } };
    }
    return { outcome: "completed" };
  }

  #update(update: NativeUpdate): HarnessEvent[] {
    const message = this.#current;
    if (message === null) return [];
    switch (update.type) {
      case "text_start":
      case "thinking_start":
        return this.#openBlock(message, update.contentIndex, update.type === "text_start" ? "text" : "reasoning");
      case "text_delta":
      case "thinking_delta": {
        const key = message.blocks.get(update.contentIndex);
        return key === undefined || key === CLOSED ? [] : [{ type: "part.delta", key, delta: update.delta }];
      }
      case "text_end":
      case "thinking_end":
        return closeBlock(message, update.contentIndex, update.content);
      default:
        return [];
    }
  }

  #openBlock(message: OpenMessage, index: number, kind: "text" | "reasoning"): HarnessEvent[] {
    const events = this.#begin(message);
    const key = `${message.key}/${index}`;
    message.blocks.set(index, key);
    return [...events, { type: "part.start", key, message: message.key, kind }];
  }

  #begin(message: OpenMessage): HarnessEvent[] {
    if (message.key !== "") return [];
    message.key = `${this.#turn}/${this.#messages++}`;
    return [{ type: "message.start", key: message.key, model: this.#model }];
  }

  #messageEnd(native: AssistantNativeMessage): HarnessEvent[] {
    const message = this.#current ?? { key: "", blocks: new Map() };
    this.#current = null;
    this.#last = native;
    const hasFailed = native.stopReason === "error" || native.stopReason === "aborted";
    if (message.key === "" && hasFailed) {
      this.#failedEmpty = native.stopReason === "error" ? native : null;
      return [];
    }
    const events = this.#begin(message);
    for (const [index, block] of native.content.entries()) {
      const text = textOf(block);
      // A message that was cut off does not end its blocks, and a call that it may have held in part is never run.
      if (text !== null) {
        if (!message.blocks.has(index)) events.push(...this.#openBlock(message, index, block.type === "text" ? "text" : "reasoning"));
        events.push(...closeBlock(message, index, text));
      } else if (block.type === "toolCall" && !hasFailed) {
        events.push({ type: "tool.call", callId: block.id, message: message.key, tool: block.name, input: block.arguments });
      }
    }
    return [...events, messageEnd(message.key, native)];
  }

  #settled(): HarnessEvent[] {
    const failed = this.#failedEmpty;
    this.#failedEmpty = null;
    if (failed === null) return [];
    const message: OpenMessage = { key: "", blocks: new Map() };
    return [...this.#begin(message), messageEnd(message.key, failed)];
  }

  #toolUpdate(callId: string, details: unknown): HarnessEvent[] {
    const ours = callDetails(details);
    if (!this.#running.has(callId)) return [];
    if (ours?.beeuni === "started") return [{ type: "tool.start", callId }];
    return ours?.beeuni === "progress" ? [{ type: "tool.progress", callId, metadata: ours.metadata }] : [];
  }

  #toolEnd({ toolCallId: callId, result, isError }: Extract<NativeEvent, { type: "tool_execution_end" }>): HarnessEvent[] {
    this.#running.delete(callId);
    const ours = callDetails(result.details);
    const text = (result.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    if (!isError) return [{ type: "tool.end", callId, output: text, metadata: ours?.beeuni === "done" ? ours.metadata : {} }];
    if (ours?.beeuni === "failed") {
      return [{ type: "tool.error", callId, kind: ours.kind, error: text, ...(Object.keys(ours.metadata).length === 0 ? {} : { metadata: ours.metadata }) }];
    }
    // Pi's own refusals: arguments that don't fit, a tool that does not exist, a stop before the call began.
    return [{ type: "tool.error", callId, kind: text === "Operation aborted" ? "aborted" : "failed", error: text }];
  }
}

interface OpenMessage {
  /** Empty until the message begins. */
  key: string;
  /** Content index → part key. */
  blocks: Map<number, string>;
}

const CLOSED = "";

function closeBlock(message: OpenMessage, index: number, text: string): HarnessEvent[] {
  const key = message.blocks.get(index);
  if (key === undefined || key === CLOSED) return [];
  message.blocks.set(index, CLOSED);
  return [{ type: "part.end", key, text }];
}

function textOf(block: NativeBlock): string | null {
  if (block.type === "text") return block.text;
  return block.type === "thinking" ? block.thinking : null;
}
