import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, answering, created, folded, prompted, sessionOf, started } from "../testing/transcripts.ts";
import { turnUsage } from "./turn-usage.ts";

const turn = (...messages: ({ input: number; output: number } | null)[]) => sessionOf(folded([
  created, ...prompted("trn_1", "go"), started("trn_1"),
  ...messages.flatMap((usage, index) => [answering("trn_1", `msg_${index}`), answered(`msg_${index}`, usage)]),
  answering("trn_2", "msg_other"), answered("msg_other", { input: 100, output: 100 }),
]));

test("a turn's usage is the sum over its own messages", () => {
  assert.deepEqual(turnUsage(turn({ input: 3, output: 1 }, { input: 5, output: 2 }), "trn_1"), { input: 8, output: 3, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
});

test("one message without a report makes the turn's usage unknown, never a smaller number", () => {
  assert.equal(turnUsage(turn({ input: 3, output: 1 }, null), "trn_1"), null);
});

test("a turn without messages has no known usage", () => {
  assert.equal(turnUsage(turn(), "trn_1"), null);
});
