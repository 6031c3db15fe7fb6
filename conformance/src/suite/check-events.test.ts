import assert from "node:assert/strict";
import { test } from "node:test";
import type { HarnessEvent } from "@beeuni/harness";
import { checkEvents } from "./check-events.ts";

const usage = { input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const good: HarnessEvent[] = [
  { type: "turn.start", key: "t" },
  { type: "message.start", key: "m" },
  { type: "part.start", key: "p", message: "m", kind: "text" },
  { type: "part.delta", key: "p", delta: "a" },
  { type: "part.end", key: "p", text: "a" },
  { type: "tool.call", callId: "c", message: "m", tool: "bash", input: {} },
  { type: "message.end", key: "m", usage, finish: null, responseId: null },
  { type: "tool.start", callId: "c" },
  { type: "tool.progress", callId: "c", metadata: {} },
  { type: "tool.end", callId: "c", output: "", metadata: {} },
  { type: "turn.end", key: "t", end: { outcome: "completed" } },
];

test("well-formed events have no problem; each missing or doubled one is a problem", () => {
  assert.deepEqual(checkEvents(good), []);
  // Deltas and progress are optional; everything else is needed exactly once.
  for (const [index, event] of good.entries()) {
    const optional = event.type === "part.delta" || event.type === "tool.progress";
    assert.equal(checkEvents(good.toSpliced(index, 1)).length > 0, !optional, `without ${event.type}`);
    assert.equal(checkEvents(good.toSpliced(index, 0, event)).length > 0, event.type !== "tool.progress", `with a second ${event.type}`);
  }
});

test("a problem says where and what", () => {
  assert.deepEqual(checkEvents([
    { type: "message.start", key: "m" },
    { type: "part.start", key: "p", message: "m", kind: "text" },
    { type: "part.delta", key: "p", delta: "a" },
    { type: "part.end", key: "p", text: "b" },
    { type: "tool.end", callId: "c", output: "", metadata: {} },
    { type: "message.end", key: "m", usage, finish: null, responseId: null, error: { code: "upstream", message: "cut" } },
    { type: "message.start", key: "n" },
  ]), [
    'event 4 (part.end): its text is "b", its deltas were "a"',
    "event 5 (tool.end): call c is unknown",
    "event 6 (message.end): a failed message reports usage, which can't be whole",
    "message n was begun and never ended",
  ]);
});
