import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryMessage } from "@beeuni/harness";
import { historyEvents, isBehind } from "./history.ts";
import type { StoredMessage } from "./native-events.ts";

const HISTORY: HistoryMessage[] = [
  { role: "user", text: "look", toolCalls: [] },
  { role: "assistant", text: "Looking.", toolCalls: [{ callId: "call_1", tool: "bash", input: { command: "ls" }, output: "a", isError: false }, { callId: "call_2", tool: "read", input: {}, output: "gone", isError: true }] },
  { role: "assistant", text: "Done.", toolCalls: [] },
];
const author = { agent: "main", wireId: "demo", workspace: "/w" };
const stored = (...prompts: string[]): StoredMessage[] => prompts.map((text, index) => ({
  info: { role: "user", id: `msg_${index}`, sessionID: "s", agent: "main", model: { providerID: "beeuni", modelID: "demo" }, time: { created: 1 } },
  parts: [{ id: `prt_${index}`, sessionID: "s", messageID: `msg_${index}`, type: "text", text }],
}));

test("a transcript as OpenCode's own events: numbered without a gap, in order of their ids, each answer below its prompt", () => {
  const events = historyEvents("ses_1", HISTORY, author, 1_000);
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index + 1));
  const infos = events.flatMap(({ data }) => ("info" in data ? [data.info as { id: string; role: string; parentID?: string; finish?: string }] : []));
  assert.deepEqual(infos.map(({ role, finish }) => [role, finish]), [["user", undefined], ["assistant", "tool-calls"], ["assistant", "stop"]]);
  assert.deepEqual(infos.slice(1).map(({ parentID }) => parentID), [infos[0]!.id, infos[0]!.id]);
  assert.deepEqual(infos.map(({ id }) => id).toSorted(), infos.map(({ id }) => id));
  const parts = events.flatMap(({ data }) => ("part" in data ? [data.part as { type: string; text?: string; callID?: string; state?: { status: string } }] : []));
  assert.deepEqual(parts.map(({ type, text, callID, state }) => [type, text ?? callID, state?.status]), [
    ["text", "look", undefined], ["text", "Looking.", undefined], ["tool", "call_1", "completed"], ["tool", "call_2", "error"], ["text", "Done.", undefined],
  ]);
});

test("an answer without a prompt gets an empty one", () => {
  const infos = historyEvents("ses_1", [{ role: "assistant", text: "Hi.", toolCalls: [] }], author, 1).flatMap(({ data }) => ("info" in data ? [(data.info as { role: string }).role] : []));
  assert.deepEqual(infos, ["user", "assistant"]);
});

test("a session that lacks prompts is behind; one that was summarised is not", () => {
  const two: HistoryMessage[] = [HISTORY[0]!, { role: "user", text: "and?", toolCalls: [] }];
  assert.deepEqual([isBehind(stored("look"), two), isBehind(stored("look", "and?"), two), isBehind(stored("look", "and?", "more"), two)], [true, false, false]);
  const summary: StoredMessage = { info: { role: "assistant", id: "msg_9", sessionID: "s", parentID: "m", agent: "compaction", providerID: "beeuni", modelID: "demo", time: { created: 1 }, tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }, summary: true }, parts: [] };
  assert.equal(isBehind([...stored("look"), summary], two), false);
});
