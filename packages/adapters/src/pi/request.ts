import type { AssistantNativeMessage, NativeMessage } from "./native-events.ts";
import type { CallIds } from "./call-ids.ts";
import type { ModelContext, ModelStream, NativeModel, StreamFunction } from "./sdk.ts";
import { type ActiveTurn, stepsAreOver, stepsNotice } from "./turn.ts";

export interface RequestHooks {
  /** null between turns. */
  turn: () => ActiveTurn | null;
  callIds: CallIds;
  /** Carries the requests. Goes nowhere but to the gateway. */
  fetch: typeof fetch;
}

/**
 * Stands between Pi's loop and its model client: adds what an agent's file says of the request, tells the model when its
 * steps are used up, and makes the ids of tool calls unique in what comes back. Streaming itself is not touched.
 */
export function shapeRequests(inner: StreamFunction, { turn: currentTurn, callIds, fetch }: RequestHooks): StreamFunction {
  return async (model, context, options) => {
    const turn = currentTurn();
    if (turn === null) return inner(model, context, { ...options, fetch });
    const { thinking, temperature, body } = turn.sampling;
    const stream = await inner(thinking === null ? withoutOff(model) : model, contextFor(turn, context), {
      ...options, fetch, reasoning: thinking === null || thinking === "off" ? undefined : thinking,
      ...(temperature === null ? {} : { temperature }),
      ...(Object.keys(body).length === 0 ? {} : {
        onPayload: async (payload, forModel) => ({ ...((await options.onPayload?.(payload, forModel)) ?? payload), ...body }),
      }),
    });
    let settled: Promise<NativeMessage> | undefined;
    return {
      [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
      result: () => (settled ??= stream.result().then((message) => settle(message, turn, callIds))),
    } satisfies ModelStream;
  };
}

/** For Pi "no level" means off, and it says so in the request. A model that has no off is asked for nothing. */
function withoutOff(model: NativeModel): NativeModel {
  return { ...model, thinkingLevelMap: { ...model.thinkingLevelMap, off: null } };
}

/** The request's messages; after the last tool step with a word about it that stays out of the session. */
export function contextFor(turn: ActiveTurn, context: ModelContext): ModelContext {
  const { steps } = turn.agent;
  if (steps === null || !stepsAreOver(turn)) return context;
  return { ...context, messages: [...context.messages, { role: "user", content: [{ type: "text", text: stepsNotice(steps) }], timestamp: Date.now() }] };
}

/** Pi reads the finished message after this and before anything is run or stored. */
function settle(message: NativeMessage, turn: ActiveTurn, callIds: CallIds): NativeMessage {
  if (message.role !== "assistant" || isFailed(message)) return message;
  let calls = 0;
  for (const block of message.content) {
    if (block.type !== "toolCall") continue;
    block.id = callIds.claim(block.id);
    calls++;
  }
  if (calls > 0) turn.stepsTaken++;
  return message;
}

function isFailed(message: AssistantNativeMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}
