import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { applyDelta, deltaFit, EMPTY_TREE, reduce, type TreeState } from "@beeuni/transcript";
import { text, turn } from "../testing/bench.ts";
import { type EventReader, type Frame, serveBench } from "../testing/client.ts";

/** What any client does with the frames: fold them. Counts what must not happen. */
class Client {
  state: TreeState = EMPTY_TREE;
  cursor: string | undefined;
  gaps = 0;
  repeated = 0;

  take({ event, id, data }: Frame): void {
    if (id !== undefined) this.cursor = id;
    if (event === "resync") this.state = data.state;
    else if (event === "part.delta") {
      const fit = deltaFit(this.state, data);
      if (fit === "gap") this.gaps++;
      if (fit === "known") this.repeated++;
      this.state = applyDelta(this.state, data);
    } else if (!["hello", "heartbeat"].includes(event)) this.state = reduce(this.state, data);
  }
}

async function readTo(reader: EventReader, client: Client, seq: number): Promise<void> {
  while (client.state.seq < seq) {
    const frame = await reader.next();
    assert.ok(frame !== null, "the stream ended early");
    client.take(frame);
  }
}

test("the stream begins with hello, replays the log, goes on live, and ends with the same state as the daemon's", async (t) => {
  const { daemon, events } = await serveBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say before");
  const reader = await events(session.id);
  const head = session.log.flushedSeq;
  assert.deepEqual([reader.status, reader.response.headers["content-type"]], [200, "text/event-stream; charset=utf-8"]);
  assert.deepEqual(await reader.next(), { event: "hello", data: { epoch: session.log.epoch, head, session: session.id } });
  const client = new Client();
  await readTo(reader, client, head);
  assert.deepEqual(reader.frames.slice(1).map(({ id, event, data }) => [id, event, data.type]), reader.frames.slice(1).map(({ data }) => [`${session.log.epoch}:${data.seq}`, data.type, data.type]));
  await turn(session, "say live\nrun echo x");
  await readTo(reader, client, session.log.flushedSeq);
  assert.deepEqual([client.state, client.gaps, client.repeated], [session.log.state, 0, 0]);
  reader.close();
});

test("a cursor is where the replay begins; one of an earlier opening too", async (t) => {
  const bench = await serveBench(t);
  const session = await bench.daemon.createSession({});
  await turn(session, "say before");
  const { epoch } = session.log;
  const reader = await bench.events(session.id, `${epoch}:3`);
  await reader.until(({ event }) => event === "hello");
  assert.equal((await reader.next())!.id, `${epoch}:4`);
  await bench.daemon.restartSession(session.id);
  assert.equal(await reader.until(({ data }) => data.type === "turn.ended").then(() => reader.next()), null);
  const again = await bench.events(session.id, `${epoch}:3`);
  await again.until(({ event }) => event === "hello");
  const next = await again.next();
  assert.deepEqual([next!.data.seq, next!.id!.endsWith(":4"), next!.id!.startsWith(epoch)], [4, true, false]);
});

test("a cursor that can't be replayed gets the whole state, never a silent gap", async (t) => {
  const { daemon, events } = await serveBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say before");
  const { epoch, flushedSeq } = session.log;
  for (const cursor of [`${epoch}:9999`, "000000000000:1", "nonsense"]) {
    const reader = await events(session.id, cursor);
    await reader.next();
    assert.deepEqual(await reader.next(), { event: "resync", id: `${epoch}:${flushedSeq}`, data: { epoch, seq: flushedSeq, state: session.log.state } }, cursor);
    reader.close();
  }
});

test("a newcomer gets the text of a part that is being streamed, then its deltas", async (t) => {
  const { daemon, events } = await serveBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say one two\nsleep 120\nmore three\nhang") });
  await wait(60);
  const reader = await events(session.id);
  const client = new Client();
  const snapshot = await reader.until((frame) => (client.take(frame), frame.event === "part.snapshot"));
  assert.deepEqual([snapshot.id, snapshot.data.seq, snapshot.data.at, snapshot.data.text], [undefined, 0, 0, "one two"]);
  await reader.until((frame) => (client.take(frame), frame.event === "part.delta" && frame.data.delta.includes("three")));
  await session.abort();
  await done;
  await readTo(reader, client, session.log.flushedSeq);
  assert.deepEqual([client.state, client.gaps, client.repeated], [session.log.state, 0, 0]);
});

test("a client that drops and comes back 50 times ends with the state of one that never dropped; no delta is doubled or lost", async (t) => {
  const { daemon, events } = await serveBench(t);
  const session = await daemon.createSession({});
  const steady = new Client();
  const steadyReader = await events(session.id);
  const words = (name: string): string => Array.from({ length: 40 }, (_, index) => `${name}${index}`).join(" ");
  const script = Array.from({ length: 6 }, (_, step) => `say ${words(`s${step}w`)}\nsleep 15\nrun echo ${step}`).join("\n");
  const { done } = await session.prompt({ parts: text(script) });
  const dropping = new Client();
  // A little generator of its own: the places where it drops are the same in each run.
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  let drops = 0;
  const whole = async (): Promise<number> => (await done, session.log.flushed(), session.log.flushedSeq);
  while (drops < 50) {
    const reader = await events(session.id, dropping.cursor);
    for (let left = random(12) + 1; left > 0; left--) {
      const frame = await Promise.race([reader.next(), wait(20, null)]);
      if (frame === null) break;
      dropping.take(frame);
    }
    reader.close();
    drops++;
  }
  const head = await whole();
  const last = await events(session.id, dropping.cursor);
  await readTo(last, dropping, head);
  await readTo(steadyReader, steady, head);
  assert.deepEqual(dropping.state, steady.state);
  assert.deepEqual(steady.state, session.log.state);
  assert.deepEqual([dropping.gaps, steady.gaps, steady.repeated], [0, 0, 0]);
});

test("a client that does not read is dropped, nothing is kept for it, and it comes back to everything", async (t) => {
  const { daemon, events } = await serveBench(t, { serve: { maxBehind: 64 * 1024 } });
  const session = await daemon.createSession({});
  const slow = await events(session.id);
  await slow.until(({ data }) => data.type === "session.opened");
  slow.response.pause();
  // Far more than the sockets' own buffers hold.
  const { done } = await session.prompt({ parts: text(`# ${"x".repeat(8_000_000)}\nsay a\nrun echo b\nsay c`) });
  assert.equal((await done).outcome, "completed");
  await turn(session, "say d");
  slow.response.resume();
  const client = new Client();
  while ((await slow.next()) !== null);
  for (const frame of slow.frames) client.take(frame);
  assert.ok(client.state.seq < session.log.flushedSeq, "it was not dropped");
  const again = await events(session.id, client.cursor);
  await readTo(again, client, session.log.flushedSeq);
  assert.deepEqual(client.state, session.log.state);
});

test("heartbeats come without an id", async (t) => {
  const { daemon, events } = await serveBench(t, { serve: { heartbeatMs: 20 } });
  const session = await daemon.createSession({});
  const reader = await events(session.id);
  const beat = await reader.until(({ event }) => event === "heartbeat");
  assert.deepEqual([beat.id, beat.data.head, Math.abs(beat.data.at - Date.now()) < 5000], [undefined, session.log.flushedSeq, true]);
});

test("the stream of a session that is not there is 404, and of one that is not named 400", async (t) => {
  const { events, call } = await serveBench(t);
  assert.equal((await events("ses_0123456789abAAAAAAAAAAAAAA")).status, 404);
  assert.equal((await call("GET", "/beeuni/events")).status, 400);
});

test("when the log fails, clients are told and let go", async (t) => {
  const { SlowDisk } = await import("../testing/slow-disk.ts");
  const disk = new SlowDisk();
  const { daemon, events } = await serveBench(t, { logFs: disk.fs });
  const session = await daemon.createSession({});
  const reader = await events(session.id);
  await reader.until(({ data }) => data.type === "session.opened");
  disk.failure = "ENOSPC";
  await assert.rejects(session.prompt({ parts: text("say x") }), { code: "storage_failed" });
  const told = await reader.until(({ event }) => event === "failed");
  assert.deepEqual([told.data.code, await reader.next()], ["storage_failed", null]);
});
