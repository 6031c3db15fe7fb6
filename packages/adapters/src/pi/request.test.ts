import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentSpec } from "@beeuni/conformance";
import { CallIds } from "./call-ids.ts";
import type { NativeMessage } from "./native-events.ts";
import { contextFor, shapeRequests } from "./request.ts";
import type { NativeModel, StreamFunction, StreamOptions } from "./sdk.ts";
import type { ActiveTurn } from "./turn.ts";

const MODEL: NativeModel = { id: "m", provider: "beeuni", api: "openai-completions", reasoning: true, input: ["text"] };
const turnOf = (patch: Partial<ActiveTurn> = {}): ActiveTurn => ({
  id: "t", agent: agentSpec(), model: { provider: "p", id: "m" }, sampling: { thinking: null, temperature: null, body: {} }, stepsTaken: 0, ...patch,
});
const answer = (stopReason: "toolUse" | "error", ...ids: string[]): NativeMessage => ({
  role: "assistant", content: ids.map((id) => ({ type: "toolCall" as const, id, name: "bash", arguments: {} })), api: "", provider: "", model: "",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, stopReason, timestamp: 0,
});

/** One request through the wrapper: what the client below got, and the message that Pi gets. */
async function request(turn: ActiveTurn | null, result: NativeMessage, callIds = new CallIds()): Promise<{ model: NativeModel; options: StreamOptions; message: NativeMessage }> {
  let seen: { model: NativeModel; options: StreamOptions } | undefined;
  const inner: StreamFunction = async (model, _context, options) => {
    seen = { model, options };
    return { async *[Symbol.asyncIterator]() {}, result: async () => result };
  };
  const stream = await shapeRequests(inner, { turn: () => turn, callIds, fetch })(MODEL, { messages: [] }, { onPayload: async (payload) => ({ ...payload, kept: true }) });
  const message = await stream.result();
  assert.equal(await stream.result(), message);
  return { ...seen!, message };
}

describe("a model request", () => {
  test("carries what the turn asks for, and goes over the session's own connections", async () => {
    const { model, options } = await request(turnOf({ sampling: { thinking: "high", temperature: 0, body: { top_p: 0.5 } } }), answer("toolUse"));
    assert.deepEqual([options.reasoning, options.temperature, options.fetch === fetch], ["high", 0, true]);
    assert.deepEqual(await options.onPayload?.({ model: "m" }, MODEL), { model: "m", kept: true, top_p: 0.5 });
    assert.equal(model, MODEL);
  });

  test("speaks of no reasoning when nothing was asked for, and of none when that was", async () => {
    const unasked = await request(turnOf(), answer("toolUse"));
    assert.deepEqual([unasked.options.reasoning, unasked.model.thinkingLevelMap], [undefined, { off: null }]);
    const off = await request(turnOf({ sampling: { thinking: "off", temperature: null, body: {} } }), answer("toolUse"));
    assert.deepEqual([off.options.reasoning, off.model.thinkingLevelMap], [undefined, undefined]);
  });

  test("between turns it passes unchanged", async () => {
    const { options } = await request(null, answer("toolUse", "a"));
    assert.deepEqual(Object.keys(options), ["onPayload", "fetch"]);
  });

  test("a finished message gets unique call ids and counts as one step; a failed one does not", async () => {
    const turn = turnOf();
    const { message } = await request(turn, answer("toolUse", "a", "a"), new CallIds(["a"]));
    assert.deepEqual(message.role === "assistant" && message.content.map((block) => block.type === "toolCall" && block.id), ["a_1", "a_2"]);
    assert.equal(turn.stepsTaken, 1);
    await request(turn, answer("error", "a"));
    assert.equal(turn.stepsTaken, 1);
  });

  test("[H-043] the word about the steps comes with the first request after them, as its last message", () => {
    const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 1 }] };
    const turn = turnOf({ agent: agentSpec({ steps: 2 }), stepsTaken: 1 });
    assert.equal(contextFor(turn, context), context);
    turn.stepsTaken = 2;
    const { messages } = contextFor(turn, context);
    assert.equal(messages.length, 2);
    assert.match(JSON.stringify(messages[1]), /^\{"role":"user".*You have taken the 2 tool steps/);
    assert.equal(context.messages.length, 1);
  });
});
