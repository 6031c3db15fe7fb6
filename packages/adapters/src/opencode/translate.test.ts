import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkEvents } from "@beeuni/conformance";
import type { HarnessEvent } from "@beeuni/harness";
import type { NativeEvent, NativeMessage, NativeToolState } from "./native-events.ts";
import { fixtureNames, readFixture, translated } from "./testing/wire-fixtures.ts";
import { Translator } from "./translate.ts";

describe("what OpenCode reports, translated", () => {
  test("there is a recording of every kind of turn", () => {
    assert.deepEqual(fixtureNames(), [
      "aborted-sub-agent", "aborted-text", "aborted-tool", "auth-error", "compaction", "denied-tool", "given-up", "host-tool", "host-tool-fails", "other-client",
      "parallel-tools", "question", "reasoning", "rejected-among-two", "retried", "shell-turn", "sub-agent", "sub-agent-denied", "text", "tools", "unknown-tool",
      "unreadable-arguments",
    ]);
  });

  for (const name of fixtureNames()) {
    test(`${name}: as expected, well-formed, and the same each time`, () => {
      const { recording, expected } = readFixture(name);
      assert.deepEqual(translated(recording), expected);
      assert.deepEqual(checkEvents(expected.events), []);
      assert.deepEqual(translated(structuredClone(recording)), expected);
    });

    test(`${name}: an event that comes twice changes nothing`, () => {
      const { recording, expected } = readFixture(name);
      const doubled = recording.flatMap((entry) => ("event" in entry && entry.event.type !== "message.part.delta" && entry.event.type !== "session.status" && entry.event.type !== "session.compacted" ? [entry, entry] : [entry]));
      const withoutProgress = (events: readonly HarnessEvent[]): HarnessEvent[] => events.filter(({ type }) => type !== "tool.progress");
      assert.deepEqual(withoutProgress(translated(doubled).events), withoutProgress(expected.events));
    });
  }

  test("a call runs when the host has allowed it, not when OpenCode says so", () => {
    const { recording } = readFixture("tools");
    const undecided = recording.filter((entry) => !("allowed" in entry) && !("end" in entry));
    const early = undecided.slice(0, undecided.findIndex((entry) => "event" in entry && isRunning(entry.event)) + 1);
    assert.deepEqual(translated(early).events.filter(({ type }) => type.startsWith("tool.")).map(({ type }) => type), ["tool.call"]);
  });

  test("an answer that broke off is never a success and has no usage", () => {
    const { expected } = readFixture("given-up");
    assert.deepEqual([expected.end?.outcome, expected.end?.outcome === "failed" && expected.end.error?.code], ["failed", "upstream"]);
    for (const event of expected.events) if (event.type === "message.end") assert.deepEqual([event.usage, event.error?.code], [null, "upstream"]);
  });
});

function isRunning(event: NativeEvent): boolean {
  return event.type === "message.part.updated" && event.properties.part.type === "tool" && event.properties.part.state.status === "running";
}

const S = "ses_root";
const MODEL = { provider: "faux", id: "demo" };
const NONE = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
type Assistant = Extract<NativeMessage, { role: "assistant" }>;
const message = (id: string, patch: Partial<Assistant> = {}): NativeEvent => ({
  type: "message.updated",
  properties: { sessionID: S, info: { role: "assistant", id, sessionID: S, parentID: "msg_0", agent: "main", providerID: "beeuni", modelID: "demo", time: { created: 1 }, tokens: NONE, ...patch } },
});
const part = (fields: { id: string; messageID: string; type: "text"; text: string; time: { start: number; end?: number } } | { id: string; messageID: string; type: "step-finish" }): NativeEvent =>
  ({ type: "message.part.updated", properties: { sessionID: S, part: { sessionID: S, ...fields } } });
const call = (id: string, messageID: string, callID: string, state: NativeToolState): NativeEvent =>
  ({ type: "message.part.updated", properties: { sessionID: S, part: { id, sessionID: S, messageID, type: "tool", tool: "bash", callID, state } } });
const delta = (messageID: string, partID: string, text: string): NativeEvent => ({ type: "message.part.delta", properties: { sessionID: S, messageID, partID, field: "text", delta: text } });
const idle: NativeEvent = { type: "session.status", properties: { sessionID: S, status: { type: "idle" } } };
const retry: NativeEvent = { type: "session.status", properties: { sessionID: S, status: { type: "retry", attempt: 1, message: "Connection reset by server", next: 9 } } };

function turn(events: readonly NativeEvent[], options: { known?: string[]; usedCallIds?: string[] } = {}): { translator: Translator; events: HarnessEvent[] } {
  const translator = new Translator({ root: S, model: () => MODEL, ...options });
  translator.root.begin("msg_0");
  return { translator, events: events.flatMap((event) => translator.translate(event)) };
}

describe("order and gaps", () => {
  test("a message that is said to be completed before its parts have come waits for them", () => {
    const { events } = turn([
      message("msg_1", { time: { created: 1, completed: 2 }, finish: "stop", tokens: { ...NONE, input: 3, output: 1 } }),
      part({ id: "prt_1", messageID: "msg_1", type: "text", text: "", time: { start: 1 } }), delta("msg_1", "prt_1", "hi"),
      part({ id: "prt_1", messageID: "msg_1", type: "text", text: "hi", time: { start: 1, end: 2 } }), part({ id: "prt_2", messageID: "msg_1", type: "step-finish" }),
    ]);
    assert.deepEqual(events.map(({ type }) => type), ["message.start", "part.start", "part.delta", "part.end", "message.end"]);
    assert.deepEqual(checkEvents(events), []);
  });

  test("pieces that the stream has lost come with the whole text, and late ones change nothing", () => {
    const { events } = turn([
      message("msg_1"), delta("msg_1", "prt_1", "one "), part({ id: "prt_1", messageID: "msg_1", type: "text", text: "one two three", time: { start: 1, end: 2 } }), delta("msg_1", "prt_1", "two"),
    ]);
    assert.deepEqual(events.flatMap((event) => (event.type === "part.delta" ? [event.delta] : event.type === "part.end" ? [event.text] : [])), ["one ", "two three", "one two three"]);
  });

  test("the stored messages fill a gap of the stream", () => {
    const { translator, events } = turn([message("msg_1"), delta("msg_1", "prt_1", "one")]);
    const rest = translator.reconcile(S, [{
      info: { role: "assistant", id: "msg_1", sessionID: S, parentID: "msg_0", agent: "main", providerID: "beeuni", modelID: "demo", time: { created: 1, completed: 2 }, tokens: { ...NONE, input: 2, output: 2 }, finish: "stop" },
      parts: [{ id: "prt_1", sessionID: S, messageID: "msg_1", type: "text", text: "one two", time: { start: 1, end: 2 } }, { id: "prt_2", sessionID: S, messageID: "msg_1", type: "step-finish" }],
    }]);
    assert.deepEqual(checkEvents([...events, ...rest]), []);
    translator.translate(idle);
    assert.deepEqual(translator.endTurn(false, null), { events: [], end: { outcome: "completed" } });
  });

  test("what a turn leaves open is closed at its end, and its calls are not successes", () => {
    const { translator, events } = turn([message("msg_1"), delta("msg_1", "prt_1", "one"), call("prt_2", "msg_1", "call_1", { status: "running", input: {} })]);
    const { events: rest, end } = translator.endTurn(false, { code: "harness", message: "OpenCode is gone" });
    assert.deepEqual(checkEvents([...events, ...rest]), []);
    assert.deepEqual(rest.flatMap((event) => (event.type === "tool.error" ? [event.kind] : event.type === "message.end" ? [event.error?.message] : [])), ["interrupted", "OpenCode is gone"]);
    assert.deepEqual(end, { outcome: "failed", error: { code: "harness", message: "OpenCode is gone" } });
  });
});

describe("messages and calls", () => {
  test("each try of a model call is a message of its own", () => {
    const { events } = turn([message("msg_1"), delta("msg_1", "prt_1", "one"), retry, delta("msg_1", "prt_2", "again")]);
    assert.deepEqual(events.map((event) => ("key" in event ? `${event.type} ${event.key}` : event.type)), [
      "message.start msg_1", "part.start prt_1", "part.delta prt_1", "part.end prt_1", "message.end msg_1", "retry", "message.start msg_1~2", "part.start prt_2", "part.delta prt_2",
    ]);
  });

  test("a provider's id that comes again gets another one, also when the session had it before", () => {
    const { events } = turn([
      message("msg_1"), call("prt_1", "msg_1", "call_0", { status: "running", input: {} }), call("prt_1", "msg_1", "call_0", { status: "completed", input: {}, output: "" }),
      message("msg_2"), call("prt_2", "msg_2", "call_0", { status: "running", input: {} }),
    ], { usedCallIds: ["call_0"] });
    assert.deepEqual(events.flatMap((event) => (event.type === "tool.call" ? [event.callId] : [])), ["call_0~2", "call_0~3"]);
  });

  test("zeros are what OpenCode puts where the provider reported nothing", () => {
    const { events } = turn([message("msg_1", { time: { created: 1, completed: 2 }, finish: "stop" }), part({ id: "prt_1", messageID: "msg_1", type: "step-finish" })]);
    assert.deepEqual(events.at(-1), { type: "message.end", key: "msg_1", usage: null, finish: "stop", responseId: null });
  });

  test("a refusal that is quicker than the report of its call is not lost", () => {
    const { translator } = turn([message("msg_1")]);
    translator.refused(S, "call_1", { kind: "denied", message: "no" });
    const events = [call("prt_1", "msg_1", "call_1", { status: "error", input: {}, error: "Error: no" })].flatMap((event) => translator.translate(event));
    assert.deepEqual(events.at(-1), { type: "tool.error", callId: "call_1", kind: "denied", error: "no" });
  });

  test("messages that were there before, and other sessions, are nobody's news", () => {
    const { events } = turn([message("msg_old"), { ...message("msg_1"), properties: { ...message("msg_1").properties as object, sessionID: "ses_other" } } as NativeEvent], { known: ["msg_old"] });
    assert.deepEqual(events, []);
  });
});
