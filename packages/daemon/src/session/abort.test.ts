import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Harness } from "@beeuni/harness";
import { conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";

const PROJECT = { "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: asks\nagents:\n  asks: {}\n", "agents/asks.md": "---\nmode: primary\npermission:\n  bash: ask\n---\n" };

test("nothing runs: there is nothing to stop", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  assert.equal(await session.abort(), false);
  await turn(session, "say a");
  assert.equal(await session.abort(), false);
});

test("[H-035] a stop during the answer keeps the partial text, ends the turn as aborted and leaves the session idle", async (t) => {
  const { daemon, checkpoints } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say so far\nhang") });
  await when(session, ofType("part.delta"));
  assert.equal(await session.abort(), true);
  const info = await done;
  assert.deepEqual([info.outcome, info.error, info.usage], ["aborted", undefined, null]);
  assert.deepEqual([conversation(session).at(-1), session.state().status], ["assistant: so far", { type: "idle" }]);
  assert.ok(checkpoints.indexOf("aborting") < checkpoints.indexOf("turn-ended"));
});

test("a stop during a tool call ends the call as aborted, also one that ignores signals", async (t) => {
  const { daemon, directory } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("run trap '' INT TERM; sleep 2; touch done") });
  await when(session, (event): event is never => event.type === "part.updated" && event.part.type === "tool" && event.part.state.status === "running");
  assert.equal(await session.abort(), true);
  assert.equal((await done).outcome, "aborted");
  assert.match(conversation(session).at(-1)!, /^bash aborted: /);
  await wait(100);
  assert.equal(existsSync(join(directory, "done")), false);
});

test("a stop rejects the open permission request; the call does not run", async (t) => {
  const { daemon, directory } = await openBench(t, { files: PROJECT });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("run touch done") });
  const { request } = await when(session, ofType("permission.asked"));
  const replied = when(session, ofType("permission.replied"));
  assert.equal(await session.abort(), true);
  const { id, reply, by } = await replied;
  assert.deepEqual({ id, reply, by }, { id: request.id, reply: "reject", by: "abort" });
  assert.equal((await done).outcome, "aborted");
  assert.deepEqual([session.state().permissions, existsSync(join(directory, "done"))], [[], false]);
  await assert.rejects(session.replyPermission(request.id, { reply: "once" }), { code: "not_found" });
});

test("a stop rejects the open question", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("ask Colour: which? | red | blue") });
  await when(session, ofType("question.asked"));
  const rejected = when(session, ofType("question.rejected"));
  await session.abort();
  assert.equal((await rejected).by, "abort");
  assert.equal((await done).outcome, "aborted");
  assert.deepEqual(session.state().questions, []);
});

test("a stop before the harness is open ends the turn at once; the harness serves the next prompt", async (t) => {
  const gate = Promise.withResolvers<void>();
  const bench = await openBench(t, { platform: { standard: "slow", experimental: "slow" }, others: [] });
  const slow: Harness = { ...bench.harness, id: "slow", open: async (spec, host) => (await gate.promise, bench.harness.open(spec, host)) };
  const daemon = bench.another({ others: [slow] });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say never") });
  assert.equal((await session.health()).harness.state, "starting");
  await when(session, ofType("turn.started"));
  assert.equal(await session.abort(), true);
  assert.equal((await done).outcome, "aborted");
  gate.resolve();
  assert.equal((await turn(session, "say now")).outcome, "completed");
  assert.deepEqual([conversation(session), bench.harness.opened.length], [["user: say never", "user: say now", "assistant: now"], 1]);
});

test("a stop leaves the prompts that wait: the next one runs", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const first = await session.prompt({ parts: text("hang") });
  const second = await session.prompt({ parts: text("say second") });
  await session.abort();
  assert.deepEqual([(await first.done).outcome, (await second.done).outcome], ["aborted", "completed"]);
  assert.equal(conversation(session).at(-1), "assistant: second");
});

test("a stop twice is one stop", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  let stops = 0;
  session.subscribe((event) => (stops += event.type === "turn.aborting" ? 1 : 0));
  const { done } = await session.prompt({ parts: text("hang") });
  assert.deepEqual(await Promise.all([session.abort(), session.abort()]), [true, true]);
  await done;
  assert.equal(stops, 1);
});

test("a stop reaches the turn that the harness began by itself", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say one\nself-turn 0\nsay two\nhang");
  if (session.state().turns.length < 2) await when(session, ofType("turn.started"));
  const ended = when(session, ofType("turn.ended"));
  assert.equal(await session.abort(), true);
  assert.equal((await ended).outcome, "aborted");
});

test("a stop is acknowledged within 100 ms; a harness that does not follow loses the turn, and the next prompt gets a new one", async (t) => {
  const bench = await openBench(t, { platform: { standard: "deaf", experimental: "deaf" } });
  let opened = 0;
  const running = Promise.withResolvers<void>();
  const deaf: Harness = {
    ...bench.harness, id: "deaf",
    open: async (spec, host) => {
      const session = await bench.harness.open(spec, host);
      if (opened++ > 0) return session;
      return {
        nativeId: session.nativeId, features: {}, health: () => session.health(), close: () => session.close(),
        turn: () => (running.resolve(), new Promise(() => {})), abort: () => new Promise(() => {}),
      };
    },
  };
  const daemon = bench.another({ others: [deaf], abortGrace: 150 });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say a") });
  await running.promise;
  const asked = performance.now();
  assert.equal(await session.abort(), true);
  const acknowledged = performance.now() - asked;
  assert.ok(acknowledged < 100, `${acknowledged} ms`);
  assert.equal((await done).outcome, "aborted");
  assert.deepEqual(session.state().notices.map(({ code, message }) => [code, message]), [
    ["harness_gone", "The deaf harness was closed: it did not stop within 0.15 s. The next prompt starts it again."],
  ]);
  assert.equal((await turn(session, "say b")).outcome, "completed");
});

test("closing a session stops what runs and closes what waits as interrupted", async (t) => {
  const bench = await openBench(t);
  const session = await bench.daemon.createSession({});
  const first = await session.prompt({ parts: text("say half\nhang") });
  const second = await session.prompt({ parts: text("say never") });
  const dropped = assert.rejects(second.done, { code: "aborted" });
  await when(session, ofType("part.delta"));
  await session.close();
  assert.equal((await first.done).outcome, "aborted");
  await dropped;
  const reopened = await bench.another().openSession(session.id);
  assert.deepEqual(reopened.state().turns.map(({ id, outcome }) => [id, outcome]), [[first.turn, "aborted"], [second.turn, "interrupted"]]);
  assert.deepEqual(reopened.state().notices, []);
});
