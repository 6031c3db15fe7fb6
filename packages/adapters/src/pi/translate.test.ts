import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkEvents } from "@beeuni/conformance";
import type { NativeEvent } from "./native-events.ts";
import { fixtureNames, readFixture, translated } from "./testing/wire-fixtures.ts";
import { TurnTranslator } from "./translate.ts";

describe("what Pi reports, translated", () => {
  test("there is a recording of every kind of turn", () => {
    assert.deepEqual(fixtureNames(), [
      "aborted-text", "aborted-tool", "auth-error", "bad-arguments", "cut-off-at-limit", "cut-stream", "denied-tool", "no-usage", "parallel-tools",
      "rate-limited", "reasoning", "repeated-ids", "retried", "text", "tools", "unknown-tool",
    ]);
  });

  for (const name of fixtureNames()) {
    test(`${name}: as expected, well-formed, and the same each time`, () => {
      const { recorded, expected } = readFixture(name);
      assert.deepEqual(translated(recorded), expected);
      assert.deepEqual(checkEvents(expected.events), []);
      assert.deepEqual(translated(structuredClone(recorded)), expected);
    });
  }

  test("a text part's pieces are its whole text, also when the answer broke off", () => {
    for (const name of ["text", "cut-stream", "aborted-text"]) {
      const { expected: { events } } = readFixture(name);
      const texts = new Map<string, string>();
      for (const event of events) {
        if (event.type === "part.delta") texts.set(event.key, (texts.get(event.key) ?? "") + event.delta);
        if (event.type === "part.end") assert.equal(texts.get(event.key), event.text, name);
      }
      assert.ok(texts.size > 0, name);
    }
  });

  test("an answer that broke off is never a success and has no usage", () => {
    const { expected } = readFixture("cut-stream");
    assert.deepEqual([expected.end.outcome, expected.end.error?.code], ["failed", "upstream"]);
    assert.deepEqual(expected.events.flatMap((event) => (event.type === "message.end" ? [event.usage] : [])), [null, null]);
  });

  test("control: the same recording with a finish reason instead of the break is a success", () => {
    const { recorded } = readFixture("cut-stream");
    const mended = structuredClone(recorded);
    for (const { event } of mended) if (event.type === "message_end" && event.message.role === "assistant") event.message.stopReason = "stop";
    assert.deepEqual(translated(mended).end, { outcome: "completed" });
  });
});

describe("turn ends", () => {
  const assistant = (stopReason: "stop" | "toolUse" | "error" | "aborted"): NativeEvent => ({
    type: "message_end",
    message: { role: "assistant", content: [], api: "", provider: "", model: "", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, stopReason, timestamp: 0, ...(stopReason === "error" ? { errorMessage: "503: busy" } : {}) },
  });
  const end = (events: NativeEvent[], how: { isAborted?: boolean; isBeyondSteps?: boolean } = {}) => {
    const translator = new TurnTranslator("t", { provider: "p", id: "m" });
    for (const event of events) translator.translate(event, 0);
    return translator.end({ isAborted: false, isBeyondSteps: false, ...how });
  };

  test("a stop counts more than how the last message ended", () => {
    assert.deepEqual(end([assistant("error")], { isAborted: true }), { outcome: "aborted" });
    assert.deepEqual(end([assistant("aborted")]), { outcome: "aborted" });
  });

  test("tool calls beyond the steps fail the turn; a text after them does not", () => {
    assert.equal(end([assistant("toolUse")], { isBeyondSteps: true }).error?.code, "steps");
    assert.deepEqual(end([assistant("toolUse"), assistant("stop")], { isBeyondSteps: true }), { outcome: "completed" });
  });

  test("no answer at all is a failure of the harness", () => {
    assert.deepEqual(end([]), { outcome: "failed", error: { code: "harness", message: "Pi ended the turn without an answer of the model" } });
  });
});
