import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeeuniError } from "@beeuni/protocol";
import type { StreamEvent } from "@beeuni/transcript";
import { conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";

test("[H-002] [H-003] [H-033] a turn with a tool call: the result reaches the transcript between the texts", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const info = await turn(session, "say looking\nrun echo hi\nsay done");
  const { id, prompt, startedAt, endedAt, ...rest } = info;
  assert.deepEqual(rest, {
    session: session.id, origin: "user", agent: "build", model: { provider: "faux", id: "demo" }, calls: [0, 0], outcome: "completed",
    usage: { input: 20, output: 10, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
  });
  assert.ok(endedAt! >= startedAt);
  assert.deepEqual(conversation(session), ["user: say looking\nrun echo hi\nsay done", "assistant: looking", "bash completed: hi", "assistant: done"]);
  assert.deepEqual([session.state().status, session.state().messages[0]!.info.id, session.state().info.title], [{ type: "idle" }, prompt, "say looking"]);
  assert.equal(session.state().messages.every(({ info: { turn: of } }) => of === id), true);
});

test("[H-034] an answer streams: deltas come before the part's end, in order, and add up to it", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const events: StreamEvent[] = [];
  session.subscribe((event) => events.push(event));
  await turn(session, "say one two three four");
  const parts = events.filter(ofType("part.updated")).filter(({ part }) => part.type === "text" && part.message !== session.state().messages[0]!.info.id);
  const id = parts[0]!.part.id;
  const deltas = events.filter(ofType("part.delta"));
  assert.ok(deltas.length >= 3, `${deltas.length} deltas`);
  let whole = "";
  for (const { part, offset, delta } of deltas) {
    assert.deepEqual([part, offset], [id, whole.length]);
    whole += delta;
  }
  assert.equal(whole, "one two three four");
  const order = events.map((event) => (event.type === "part.delta" ? "delta" : event.type === "part.updated" && event.part.id === id ? "part" : event.type));
  assert.deepEqual([order.indexOf("delta") > order.indexOf("part"), order.lastIndexOf("delta") < order.lastIndexOf("part")], [true, true]);
  assert.equal(order.at(-1), "turn.ended");
});

test("a turn's usage is unknown, not zero, when the model's report never came", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  assert.equal((await turn(session, "say a\nusage none\nrun true\nsay b")).usage, null);
  const cut = await turn(session, "say half\ncut");
  assert.deepEqual([cut.outcome, cut.error?.code, cut.usage], ["failed", "upstream", null]);
  assert.equal(conversation(session).at(-1), "assistant: half");
});

test("two turns out of one prompt: the second has the origin harness, the next prompt waits for it", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const first = await session.prompt({ parts: text("say one\nself-turn 0\nsleep 30\nsay two") });
  const second = await session.prompt({ parts: text("say three") });
  await Promise.all([first.done, second.done]);
  const turns = session.state().turns.map(({ origin, prompt, outcome }) => [origin, prompt ?? null, outcome]);
  // The harness's own turn comes first, or the prompt that was waiting: either way one after the other.
  assert.deepEqual([...turns].sort(), [["harness", null, "completed"], ["user", first.message, "completed"], ["user", second.message, "completed"]].sort());
  const spans = session.state().turns.map(({ startedAt, endedAt }) => [startedAt, endedAt!] as const);
  for (const [index, [start]] of spans.entries()) if (index > 0) assert.ok(start >= spans[index - 1]![1]);
});

test("a turn that the harness begins by itself is shown by itself", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say one\nself-turn 5\nrun echo by itself\nsay two") });
  await done;
  await when(session, ofType("turn.ended"));
  const [prompted, own] = session.state().turns;
  assert.deepEqual([own!.origin, own!.prompt, own!.agent, own!.outcome, own!.usage?.input], ["harness", undefined, "build", "completed", 20]);
  const messages = session.state().messages.filter(({ info }) => info.role === "assistant").map(({ info }) => [info.turn, info.role === "assistant" ? info.parent : undefined]);
  assert.deepEqual(messages, [[prompted!.id, prompted!.prompt], [own!.id, undefined], [own!.id, undefined]]);
  assert.deepEqual(conversation(session).slice(1), ["assistant: one", "bash completed: by itself", "assistant: two"]);
});

test("prompts queue: one turn at a time, in the order of acceptance", async (t) => {
  const { daemon, checkpoints } = await openBench(t);
  const session = await daemon.createSession({});
  const accepted = await Promise.all(["sleep 20\nsay a", "say b", "say c"].map((script) => session.prompt({ parts: text(script) })));
  await Promise.all(accepted.map(({ done }) => done));
  assert.deepEqual(session.state().turns.map(({ id }) => id), accepted.map((prompt) => prompt.turn));
  const { turns } = session.state();
  assert.ok(turns.every(({ startedAt }, index) => index === 0 || startedAt >= turns[index - 1]!.endedAt!));
  assert.ok(checkpoints.includes("queued-second-prompt"));
});

test("the same message id is one prompt: while it runs, after it, and after a restart", async (t) => {
  const bench = await openBench(t);
  const session = await bench.daemon.createSession({});
  const messageId = "msg_0123456789abAAAAAAAAAAAAAA";
  const first = await session.prompt({ messageId, parts: text("sleep 20\nrun echo x >> runs") });
  const again = await session.prompt({ messageId, parts: text("sleep 20\nrun echo x >> runs") });
  assert.deepEqual([again.message, again.turn, again.deduplicated, first.deduplicated], [messageId, first.turn, true, false]);
  assert.deepEqual(await again.done, await first.done);
  assert.equal((await session.prompt({ messageId, parts: text("say x") })).deduplicated, true);
  await bench.daemon.close();
  const reopened = await bench.another().openSession(session.id);
  const later = await reopened.prompt({ messageId, parts: text("say x") });
  assert.deepEqual([later.turn, later.deduplicated, (await later.done).outcome], [first.turn, true, "completed"]);
  assert.equal(reopened.state().messages.filter(({ info }) => info.role === "user").length, 1);
});

test("an answer's id is not a prompt's", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say a");
  const messageId = session.state().messages[1]!.info.id;
  await assert.rejects(session.prompt({ messageId, parts: text("say b") }), { code: "invalid_request", message: `message_id: ${messageId} is the id of an answer` });
});

test("a prompt is refused before it is accepted when its agent or model is unknown", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  await assert.rejects(session.prompt({ parts: text("say a"), agent: "biuld" }), (error: BeeuniError) => {
    assert.deepEqual(error.toBody(), { code: "agent_not_found", error: 'there is no agent "biuld" in this session', hint: "did you mean build?" });
    return true;
  });
  await assert.rejects(session.prompt({ parts: text("say a"), model: "nobody/x" }), { code: "model_not_found" });
  await assert.rejects(session.prompt({ parts: text("say a"), model: "x" }), { code: "invalid_request", message: 'model must be "provider/model" (got "x")' });
  await assert.rejects(session.prompt({ parts: [] }), { code: "invalid_request", message: "parts must be a non-empty array" });
  assert.deepEqual([session.state().messages, session.state().turns], [[], []]);
});

test("a harness that dies fails its turn; the next prompt starts it again and is told the conversation", async (t) => {
  const { daemon, harness } = await openBench(t);
  const session = await daemon.createSession({});
  const dead = await turn(session, "say before\nrun echo x\ncrash");
  assert.deepEqual([dead.outcome, dead.error], ["failed", { code: "harness", message: "the scripted harness crashed" }]);
  const next = await turn(session, "recall");
  assert.equal(next.outcome, "completed");
  assert.equal(harness.opened.length, 2);
  assert.deepEqual(session.state().notices.map(({ code }) => code), ["harness_gone"]);
  const open = session.state().messages.flatMap(({ parts }) => parts).filter((part) => part.type === "text" && part.endedAt === undefined);
  assert.deepEqual(open, []);
});

test("a harness that can't be opened fails the turn with the reason; health says it, and the next prompt tries again", async (t) => {
  const scripted: { failOpen?: Error } = { failOpen: new Error("no such program") };
  const { daemon } = await openBench(t, { scripted });
  const session = await daemon.createSession({});
  const failed = await turn(session, "say a");
  assert.deepEqual([failed.outcome, failed.error], ["failed", { code: "harness_start_failed", message: "the scripted harness could not be started: no such program" }]);
  const health = await session.health();
  assert.deepEqual([health.status, health.runtimeReady, health.harness.state, health.harness.error], ["error", false, "error", "the scripted harness could not be started: no such program"]);
  delete scripted.failOpen;
  assert.equal((await turn(session, "say a")).outcome, "completed");
  assert.equal((await session.health()).status, "ok");
});

test("a prompt for another model opens the harness with it", async (t) => {
  const { daemon, harness } = await openBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say a");
  const { done } = await session.prompt({ parts: text("recall"), model: "second/small", variant: "high" });
  assert.deepEqual((await done).model, { provider: "second", id: "small", variant: "high" });
  assert.deepEqual(harness.opened.map(({ endpoint }) => endpoint.models.map(({ ref }) => ref.id)), [["demo"], ["small", "demo"]]);
  assert.notEqual(harness.opened[0]!.endpoint.root, harness.opened[1]!.endpoint.root);
  assert.equal(conversation(session).at(-1), "assistant: user: say a / assistant: a / user: recall");
});
