import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { StreamEvent } from "@beeuni/transcript";
import { conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";
import { SlowDisk } from "../testing/slow-disk.ts";
import { SNAPSHOT_MS } from "./translate-events.ts";

function inFile(home: string, session: string): string {
  return readFileSync(join(home, "sessions", session, "log.jsonl"), "utf8");
}

test("a prompt is acknowledged and shown when it is on the disk, and not before", async (t) => {
  const disk = new SlowDisk();
  const { daemon } = await openBench(t, { logFs: disk.fs });
  const session = await daemon.createSession({});
  const shown: StreamEvent[] = [];
  session.subscribe((event) => shown.push(event));
  const held = disk.holdAt("say a");
  let isAccepted = false;
  const accepting = session.prompt({ parts: text("say a") }).then((prompt) => ((isAccepted = true), prompt));
  await held;
  await wait(10);
  assert.deepEqual([isAccepted, shown, session.state().turns], [false, [], []]);
  disk.release();
  await (await accepting).done;
  assert.deepEqual([isAccepted, shown[0]!.type, shown.at(-1)!.type], [true, "message.created", "turn.ended"]);
});

test("a tool runs when its call is on the disk, and not before", async (t) => {
  const disk = new SlowDisk();
  const { daemon, directory } = await openBench(t, { logFs: disk.fs });
  const session = await daemon.createSession({});
  const held = disk.holdAt('"status":"pending"');
  const { done } = await session.prompt({ parts: text("run touch ran") });
  await held;
  await wait(30);
  assert.equal(existsSync(join(directory, "ran")), false);
  disk.release();
  await done;
  assert.equal(existsSync(join(directory, "ran")), true);
});

test("a permission's answer is acknowledged, and acted on, when it is on the disk", async (t) => {
  const disk = new SlowDisk();
  const files = {
    "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\nagents:\n  a: {}\n", "agents/a.md": "---\nmode: primary\npermission:\n  bash: ask\n---\n",
  };
  const { daemon, directory } = await openBench(t, { logFs: disk.fs, files });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("run touch ran") });
  const { request } = await when(session, ofType("permission.asked"));
  const held = disk.holdAt("permission.replied");
  let isAnswered = false;
  const answering = session.replyPermission(request.id, { reply: "once" }).then(() => (isAnswered = true));
  await held;
  await wait(30);
  assert.deepEqual([isAnswered, existsSync(join(directory, "ran"))], [false, false]);
  disk.release();
  await Promise.all([answering, done]);
  assert.equal(existsSync(join(directory, "ran")), true);
});

test("every event is in the file by the time that it is shown", async (t) => {
  const { daemon, home } = await openBench(t);
  const session = await daemon.createSession({});
  const late: string[] = [];
  let durable = 0;
  session.subscribe((event) => {
    if (event.type === "part.delta") return;
    durable++;
    if (!inFile(home, session.id).includes(`{"seq":${event.seq},`)) late.push(event.type);
  });
  await turn(session, "say some words here\nrun echo x\nthink hm\nsay end");
  assert.deepEqual(late, []);
  assert.ok(durable > 15);
});

test("streamed text is in the log at most 250 ms later", async (t) => {
  const { daemon, home } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say seen so far\nhang") });
  const snapshot = when(session, ofType("part.snapshot"));
  await when(session, ofType("part.delta"));
  // Nothing else happens in the turn: it is the clock that brings it.
  assert.equal((await snapshot).text, "seen so far");
  assert.ok(SNAPSHOT_MS <= 250);
  assert.match(inFile(home, session.id), /"part\.snapshot".*"seen so far"/);
  await session.abort();
  await done;
});

test("when the disk is full in the middle of a turn: the turn fails with the reason, and what was acknowledged is there afterwards", async (t) => {
  const disk = new SlowDisk();
  const bench = await openBench(t, { logFs: disk.fs });
  const session = await bench.daemon.createSession({});
  await turn(session, "say kept");
  const failed: string[] = [];
  session.hub.subscribe({ event: () => {}, failed: (error) => failed.push(error.code) });
  const { done, message } = await session.prompt({ parts: text("say half\nsleep 20\nsay more\nhang") });
  const queued = await session.prompt({ parts: text("say queued") });
  await when(session, ofType("part.delta"));
  disk.failure = "ENOSPC";
  const refusal = { code: "storage_failed", message: /log\.jsonl can't be written: no space is left on the device \(ENOSPC\)$/, hint: /^free some space/ };
  await assert.rejects(done, refusal);
  await assert.rejects(queued.done, refusal);
  assert.deepEqual(failed, ["storage_failed"]);
  await assert.rejects(session.prompt({ parts: text("say more") }), refusal);
  const health = await session.health();
  assert.deepEqual([health.status, health.runtimeReady], ["error", false]);

  disk.failure = null;
  const again = await bench.daemon.openSession(session.id);
  assert.notEqual(again, session);
  assert.deepEqual(again.state().turns.map(({ outcome }) => outcome), ["completed", "interrupted", "interrupted"]);
  assert.deepEqual(again.state().messages.filter(({ info }) => [message, queued.message].includes(info.id)).length, 2);
  assert.equal((await turn(again, "say works")).outcome, "completed");
  assert.equal(conversation(again).at(-1), "assistant: works");
});
