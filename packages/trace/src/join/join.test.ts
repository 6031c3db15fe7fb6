import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Call } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import { readCalls } from "../call-tail.ts";
import type { StoredCall } from "../stored-call.ts";
import { chatStream } from "../testing/chat-stream.ts";
import { wireFixture } from "../testing/fixtures.ts";
import { JSON_BODY, recordCall, type CallScript } from "../testing/record-call.ts";
import { scratchTrace } from "../testing/scratch.ts";
import { sessionState } from "../testing/session-builder.ts";
import { openTrace } from "../writer.ts";
import { callForPart, type CallOfPart } from "./call-for-part.ts";
import { joinCalls } from "./join-calls.ts";

const RATE_LIMITED: CallScript = { status: 429, headers: [JSON_BODY], response: wireFixture("chat-completions/rate-limit.json"), end: "complete" };
const answered = (script: Parameters<typeof chatStream>[0]): CallScript => ({ status: 200, response: chatStream(script), end: "complete" });

async function recorded(t: TestContext, session: string, scripts: readonly CallScript[]): Promise<StoredCall[]> {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  for (const script of scripts) await recordCall(trace, script);
  await trace.close();
  return readCalls(directory, { session });
}

type Join = (calls: readonly StoredCall[], session: SessionState, id: string) => CallOfPart;
const numberOf = (found: CallOfPart) => ("call" in found ? found.call.number : "unknown");

/** The check: every part of two sessions that ran side by side leads to the right call, or to none. */
function checkJoin(join: Join, one: { calls: StoredCall[]; session: SessionState }, two: { calls: StoredCall[]; session: SessionState }): void {
  const found = (from: typeof one, ...ids: string[]) => ids.map((id) => numberOf(join(from.calls, from.session, id)));
  // A 429 that was retried, a call with text and tool, its answer.
  assert.deepEqual(found(one, "m1.0", "m1.1", "m1.2", "m2.0"), [1, 1, 1, 2]);
  // An aborted call whose partial message carries its id; one without: its tool call never came, its text is not the message's.
  assert.deepEqual(found(one, "m3.0", "m4.0"), [3, "unknown"]);
  // Two calls of one turn with the same text and nothing else to tell them apart; the same text in a turn of its own.
  assert.deepEqual(found(one, "m5.0", "m6.0", "m7.0"), ["unknown", "unknown", 7]);
  // The other session has messages of the same texts and tool names, in another order.
  assert.deepEqual(found(two, "n1.0", "n2.0"), [1, 2]);
}

async function twoSessions(t: TestContext) {
  const one = await recorded(t, "ses_one", [
    RATE_LIMITED,
    answered({ id: "chatcmpl-1", text: "I look.", toolCalls: ["call_1", "call_2"] }),
    answered({ id: "chatcmpl-2", text: "Three files." }),
    { status: 200, response: chatStream({ id: "chatcmpl-3", text: "Once upon", end: false }), end: "aborted" },
    { status: 200, response: chatStream({ id: "chatcmpl-4", text: "", end: false }), end: "aborted" },
    answered({ id: "", text: "Done." }),
    answered({ id: "", text: "Done." }),
    answered({ id: "", text: "Done." }),
  ]);
  const two = await recorded(t, "ses_two", [
    RATE_LIMITED, answered({ id: "chatcmpl-9", text: "Three files." }), answered({ id: "chatcmpl-1", text: "", toolCalls: ["call_1"] }),
  ]);
  return [
    {
      calls: one,
      session: sessionState("ses_one", { t1: [0, 3], t2: [3, 4], t3: [4, 5], t4: [5, 7], t5: [7, 8] }, [
        { id: "u1", turn: "t1", role: "user", text: "Look" },
        { id: "m1", turn: "t1", responseId: "chatcmpl-1", text: "I look.", toolCalls: ["call_1", "call_2"] },
        { id: "m2", turn: "t1", text: "Three files.\n" },
        { id: "m3", turn: "t2", responseId: "chatcmpl-3", text: "Once upon" },
        { id: "m4", turn: "t3", text: "Once" },
        { id: "m5", turn: "t4", text: "Done." },
        { id: "m6", turn: "t4", text: "Done." },
        { id: "m7", turn: "t5", text: "Done." },
      ]),
    },
    {
      calls: two,
      session: sessionState("ses_two", { t1: [0, 3] }, [
        { id: "n1", turn: "t1", text: "Three files." },
        { id: "n2", turn: "t1", toolCalls: ["call_1"] },
      ]),
    },
  ] as const;
}

test("a part leads to the call that produced it: 429 retried, abort, equal texts, two sessions", async (t) => {
  checkJoin(callForPart, ...(await twoSessions(t)));
});

test("control: a join by order fails that check", async (t) => {
  const byOrder: Join = (calls, session, id) => {
    const assistant = session.messages.filter(({ info }) => info.role === "assistant");
    const index = assistant.findIndex(({ parts }) => parts.some((part) => part.id === id));
    const call = joinCalls(calls, session)[index];
    return call === undefined ? { unknown: true, why: "" } : { call };
  };
  const sessions = await twoSessions(t);
  assert.throws(() => checkJoin(byOrder, ...sessions), assert.AssertionError);
  // Nor does an order that knows of failed calls help.
  const byOrderOfGood: Join = (calls, session, id) => byOrder(calls.filter((call) => call.end === "complete" && call.status === 200), session, id);
  assert.throws(() => checkJoin(byOrderOfGood, ...sessions), assert.AssertionError);
});

test("why a call is unknown is said", async (t) => {
  const [{ calls, session }] = await twoSessions(t);
  const why = (id: string) => callForPart(calls, session, id);
  assert.deepEqual(why("m4"), { unknown: true, why: "its text is in no call of its turn" });
  assert.deepEqual(why("m5.0"), { unknown: true, why: "its text is in calls #5, #6 of its turn" });
  assert.deepEqual(why("u1.0"), { unknown: true, why: "u1.0 is of a user message: no model call produced it" });
  assert.deepEqual(why("prt_x"), { unknown: true, why: "session ses_one has no message and no part prt_x" });
});

test("joined calls have their turn and how surely each link is known, and are calls of the protocol", async (t) => {
  const [{ calls, session }] = await twoSessions(t);
  const joined = joinCalls(calls, session);
  assert.deepEqual(joined.map(({ number, turn, links }) => ({ number, turn, links })), [
    { number: 0, turn: "t1", links: [] },
    { number: 1, turn: "t1", links: [{ message: "m1", by: "response-id" }] },
    { number: 2, turn: "t1", links: [{ message: "m2", by: "turn-and-digest" }] },
    { number: 3, turn: "t2", links: [{ message: "m3", by: "response-id" }] },
    { number: 4, turn: "t3", links: [] },
    { number: 5, turn: "t4", links: [] },
    { number: 6, turn: "t4", links: [] },
    { number: 7, turn: "t5", links: [{ message: "m7", by: "turn-and-digest" }] },
  ]);
  assert.deepEqual(joined, joined.map((call) => Call.strict().parse(call)));
});

test("a response id that an upstream gives twice does not decide: tool calls do, then the text", async (t) => {
  const calls = await recorded(t, "s", [
    answered({ id: "same", text: "A", toolCalls: ["call_a"] }), answered({ id: "same", text: "B" }), answered({ id: "same", text: "B" }),
  ]);
  const session = sessionState("s", { t1: [0, 3] }, [
    { id: "m1", turn: "t1", responseId: "same", text: "something else", toolCalls: ["call_a"] },
    { id: "m2", turn: "t1", responseId: "same", text: "A" },
    { id: "m3", turn: "t1", responseId: "same", text: "B" },
  ]);
  assert.deepEqual(joinCalls(calls, session)[0]!.links, [{ message: "m1", by: "tool-call-id" }, { message: "m2", by: "turn-and-digest" }]);
  assert.deepEqual(callForPart(calls, session, "m3"), {
    unknown: true, why: "response id same is in calls #0, #1, #2; its text is in calls #1, #2 of its turn",
  });
});

test("ids that an upstream uses again in every turn are told apart by the turn, and never lead into another one", async (t) => {
  const calls = await recorded(t, "s", [answered({ id: "r", toolCalls: ["call_1"] }), answered({ id: "r", toolCalls: ["call_1"] }), answered({ id: "x", text: "t3" })]);
  const session = sessionState("s", { t1: [0, 1], t2: [1, 2], t3: [2, 3] }, [
    { id: "m1", turn: "t1", toolCalls: ["call_1"] }, { id: "m2", turn: "t2", responseId: "r" }, { id: "m3", turn: "t3", toolCalls: ["call_1"] },
  ]);
  assert.deepEqual(["m1", "m2", "m3"].map((id) => numberOf(callForPart(calls, session, id))), [0, 1, "unknown"]);
  // The first turn's call was lost: its message's id is found in the second turn only, where another message claims it.
  const [, second] = calls;
  const lost = sessionState("s", { t1: [0, 1], t2: [1, 2] }, [{ id: "m1", turn: "t1", responseId: "r" }, { id: "m2", turn: "t2", responseId: "r" }]);
  assert.deepEqual(["m1", "m2"].map((id) => numberOf(callForPart([second!], lost, id))), ["unknown", 1]);
  assert.deepEqual(callForPart([second!], lost, "m1"), { unknown: true, why: "response id r is in call #1 only, which is not of its turn" });
});

test("a call that began before its turn was known is found by its id, and belongs to the turn of its message", async (t) => {
  const calls = await recorded(t, "s", [answered({ id: "early", text: "by itself" }), answered({ id: "later", text: "again" })]);
  const session = sessionState("s", { t1: [1, 2] }, [{ id: "m1", turn: "t1", responseId: "early", text: "by itself" }, { id: "m2", turn: "t1", responseId: "later" }]);
  assert.deepEqual(joinCalls(calls, session).map(({ turn, links }) => [turn, links.map(({ message }) => message)]), [["t1", ["m1"]], ["t1", ["m2"]]]);
});

test("a turn that runs still has its calls; one response shown as two messages links to both; white space around a text does not matter", async (t) => {
  const calls = await recorded(t, "s", [answered({ id: "r1", text: " spaced out \n", toolCalls: ["call_1"] }), { status: 200, response: chatStream({ id: "", text: "half of", end: false }) }]);
  const session = sessionState("s", { t1: [0, null] }, [
    { id: "m1", turn: "t1", text: ["spaced ", "out"], reasoning: "hm" }, { id: "m2", turn: "t1", responseId: "r1", toolCalls: ["call_1"] }, { id: "m3", turn: "t1", text: "half of" },
  ]);
  assert.deepEqual(joinCalls(calls, session).map(({ turn, end, links }) => ({ turn, end, links })), [
    { turn: "t1", end: "complete", links: [{ message: "m1", by: "turn-and-digest" }, { message: "m2", by: "response-id" }] },
    { turn: "t1", end: "cut", links: [{ message: "m3", by: "turn-and-digest" }] },
  ]);
});

test("two messages of a turn with the same text are not shared out over one call", async (t) => {
  const calls = await recorded(t, "s", [answered({ id: "", text: "Yes." })]);
  const session = sessionState("s", { t1: [0, 1], t2: null }, [{ id: "m1", turn: "t1", text: "Yes." }, { id: "m2", turn: "t1", text: "Yes." }, { id: "m3", turn: "t2", text: "Yes." }, { id: "m4", turn: "t2" }]);
  assert.deepEqual(["m1", "m2", "m3", "m4"].map((id) => callForPart(calls, session, id)), [
    { unknown: true, why: "2 messages of its turn have the same text" },
    { unknown: true, why: "2 messages of its turn have the same text" },
    { unknown: true, why: "its text is in no call of its turn" },
    { unknown: true, why: "the message has no response id, no tool call and no text" },
  ]);
});
