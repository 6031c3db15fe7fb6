import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HistoryMessage } from "@beeuni/harness";
import { callIdsOf, isBehind, missingResults, nativeHistory } from "./history.ts";
import type { NativeMessage } from "./native-events.ts";
import type { StoredEntry } from "./sdk.ts";

const AUTHOR = { api: "openai-completions", provider: "beeuni", model: "m1" };
const HISTORY: HistoryMessage[] = [
  { role: "user", text: "list", toolCalls: [] },
  { role: "assistant", text: "", toolCalls: [
    { callId: "c1", tool: "bash", input: { command: "ls" }, output: "a.txt", isError: false },
    { callId: "c2", tool: "read", input: { path: "b" }, output: "The call did not end.", isError: true },
  ] },
  { role: "assistant", text: "", toolCalls: [] },
];

const entries = (...messages: NativeMessage[]): StoredEntry[] => messages.map((message, index) => ({ type: "message", id: String(index), message }));

describe("a transcript as Pi's messages", () => {
  test("every call is followed by its result, interrupted ones too; empty steps are left out", () => {
    const messages = nativeHistory(HISTORY, AUTHOR, 5);
    assert.deepEqual(messages.map((message) => (message.role === "toolResult" ? [message.role, message.toolCallId, message.isError] : [message.role])), [
      ["user"], ["assistant"], ["toolResult", "c1", false], ["toolResult", "c2", true],
    ]);
    assert.deepEqual(messages[3], { role: "toolResult", toolCallId: "c2", toolName: "read", content: [{ type: "text", text: "The call did not end." }], isError: true, timestamp: 5 });
  });
});

describe("Pi's own session beside the transcript", () => {
  const [user, assistant, first] = nativeHistory(HISTORY, AUTHOR, 5) as [NativeMessage, NativeMessage, NativeMessage];

  test("calls that a killed process left open get the transcript's result, or a word that it is unknown", () => {
    assert.deepEqual(missingResults(entries(user, assistant, first), HISTORY, 7), [
      { role: "toolResult", toolCallId: "c2", toolName: "read", content: [{ type: "text", text: "The call did not end." }], isError: true, timestamp: 7 },
    ]);
    const [unknown] = missingResults(entries(user, assistant, first), [], 7);
    assert.match(JSON.stringify(unknown), /interrupted; it may or may not have taken effect/);
  });

  test("nothing is added when all calls have results, or a prompt came after them", () => {
    assert.deepEqual(missingResults(entries(...nativeHistory(HISTORY, AUTHOR, 5)), HISTORY, 7), []);
    assert.deepEqual(missingResults(entries(user, assistant, first, user), HISTORY, 7), []);
    assert.deepEqual(missingResults([], HISTORY, 7), []);
  });

  test("it is behind when it lacks a prompt", () => {
    assert.equal(isBehind(entries(user, assistant), HISTORY), false);
    assert.equal(isBehind(entries(), HISTORY), true);
  });

  test("its call ids are known, and the transcript's", () => {
    assert.deepEqual([...new Set(callIdsOf(entries(assistant), [{ role: "assistant", text: "", toolCalls: [{ callId: "c9", tool: "t", input: {}, output: "", isError: false }] }]))], ["c1", "c2", "c9"]);
  });
});
