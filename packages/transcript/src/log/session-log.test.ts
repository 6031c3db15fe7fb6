import { newId } from "@beeuni/protocol";
import { EMPTY_TREE, type LogEvent, type NewEvent, reduceAll } from "@beeuni/transcript";
import { createSessionLog, openSessionLog, readSessionLog } from "@beeuni/transcript/log";
import { eventsOf, legalSession, sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { test } from "node:test";
import { faultyFs, notice, sessionFolder } from "./testing.ts";

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("a new log holds one line per event; its folder and files are the user's alone", async (t) => {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo(), { now: () => 5000 });
  const [written] = log.append(notice("hé\n"));
  assert.deepEqual(written, { seq: 2, at: 5000, type: "session.notice", session: "ses_root", level: "info", code: "test", message: "hé\n" });
  assert.equal(log.flushedSeq, 1);
  await log.flushed();
  assert.equal(log.flushedSeq, 2);
  assert.equal(await readFile(`${directory}/log.jsonl`, "utf8"), [
    '{"seq":1,"at":5000,"type":"session.created","session":"ses_root","format":"beeuni.transcript.v1","info":{"id":"ses_root","title":"Sample","directory":"/work","agent":"build","model":{"provider":"faux","id":"demo"},"harness":"scripted","createdAt":1000,"updatedAt":1000}}\n',
    '{"seq":2,"at":5000,"type":"session.notice","session":"ses_root","level":"info","code":"test","message":"hé\\n"}\n',
  ].join(""));
  const modes = await Promise.all([directory, `${directory}/log.jsonl`, `${directory}/lock`].map(async (path) => (await stat(path)).mode & 0o777));
  assert.deepEqual(modes, [0o700, 0o600, 0o600]);
  await log.close();
  assert.deepEqual(await readdir(directory), ["log.jsonl"]);
  await assert.rejects(createSessionLog(directory, sampleInfo()), { code: "invalid_request", message: `session ses_root exists already (${directory}/log.jsonl)` });
});

test("a log opened again has the state it had; the fold in memory is the fold of the file", async (t) => {
  const directory = await sessionFolder(t);
  const [, ...events] = eventsOf(legalSession(Array.from({ length: 150 }, (_, index) => (index * 7919) % 50_000)));
  const log = await createSessionLog(directory, sampleInfo());
  for (const event of events) log.append(event);
  const { state } = log;
  const epoch = log.epoch;
  await log.close();
  const again = await openSessionLog(directory);
  assert.deepEqual(again.state, state);
  assert.notEqual(again.epoch, epoch);
  assert.deepEqual(reduceAll(EMPTY_TREE, await collect(again.read(0))), state);
  await again.close();
});

test("what was appended belongs to the log: changing the object afterwards changes nothing", async (t) => {
  const log = await createSessionLog(await sessionFolder(t), sampleInfo());
  const request = { id: "per_1", session: "ses_root", turn: "trn_1", agent: "build", permission: "bash", tool: "bash", patterns: ["ls"], always: ["ls *"], metadata: { nested: { deep: 1 } } };
  log.append({ type: "permission.asked", session: "ses_root", request });
  request.patterns.push("rm -rf /");
  request.metadata.nested.deep = 2;
  assert.deepEqual(log.state.sessions["ses_root"]!.permissions[0], { ...request, patterns: ["ls"], metadata: { nested: { deep: 1 } } });
  await log.close();
});

test("listeners get events in order and only when they are on the disk; a batch waits while another is synced", async (t) => {
  const syncs: (() => void)[] = [];
  let isGated = false;
  const fs = faultyFs({
    datasync: async (real) => {
      if (isGated) await new Promise<void>((resolve) => syncs.push(resolve));
      await real.datasync();
    },
  });
  const log = await createSessionLog(await sessionFolder(t), sampleInfo(), { fs });
  isGated = true;
  const told: number[][] = [];
  const leave = log.subscribe((events) => told.push(events.map(({ seq }) => seq)));
  const nextSync = async (): Promise<void> => {
    while (syncs.length === 0) await new Promise(setImmediate);
    syncs.shift()!();
  };
  log.append(notice("2"), notice("3"));
  while (syncs.length === 0) await new Promise(setImmediate);
  const late = Array.from({ length: 64 }, (_, index) => { log.append(notice(String(index))); return log.flushed(); });
  assert.deepEqual([told, log.flushedSeq, log.state.seq], [[], 1, 67]);
  assert.deepEqual(await collect(log.read(0)).then((events) => events.map(({ seq }) => seq)), [1]);
  await nextSync();
  await log.flushed(3);
  assert.deepEqual(told, [[2, 3]]);
  await nextSync();
  await Promise.all(late);
  // 64 writers, one sync.
  assert.deepEqual([told.length, told[1]!.length, syncs.length], [2, 64, 0]);
  leave();
  isGated = false;
  log.append(notice("unheard"));
  await log.flushed();
  assert.equal(told.length, 2);
  await log.close();
});

test("time never goes back, and neither do ids, when the clock does", async (t) => {
  const directory = await sessionFolder(t);
  let clock = Date.now() + 100_000_000;
  const now = () => clock;
  const log = await createSessionLog(directory, sampleInfo(), { now });
  const turn = newId("trn", clock);
  log.append({ type: "turn.started", session: "ses_root", turn, origin: "harness", agent: "build", model: { provider: "faux", id: "demo" }, harness: "x", callsFrom: 0 });
  clock -= 3_600_000;
  const [second] = log.append(notice("an hour ago"));
  assert.equal(second!.at, clock + 3_600_000);
  await log.close();
  clock -= 3_600_000;
  const again = await openSessionLog(directory, { now });
  const [third] = again.append(notice("two hours ago"));
  assert.equal(third!.at, clock + 7_200_000);
  assert.ok(newId("trn", clock).slice(4) > turn.slice(4));
  await again.close();
});

test("reading begins anywhere, goes on with what is flushed meanwhile, and knows long lines", async (t) => {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo());
  for (let index = 2; index <= 700; index++) log.append(notice(index === 350 ? "🐝".repeat(200_000) : String(index)));
  await log.flushed();
  for (const after of [0, 1, 255, 256, 257, 349, 350, 699, 700, 9999]) {
    const numbers = (await collect(log.read(after))).map(({ seq }) => seq);
    assert.deepEqual(numbers, Array.from({ length: Math.max(0, 700 - after) }, (_, index) => after + 1 + index));
  }
  const seen: number[] = [];
  for await (const { seq } of log.read(698)) {
    seen.push(seq);
    if (seq > 703) continue;
    log.append(notice("more"));
    await log.flushed();
  }
  assert.deepEqual(seen, [699, 700, 701, 702, 703, 704, 705]);
  const reading = await readSessionLog(directory);
  assert.deepEqual(reading.state, log.state);
  assert.deepEqual((await collect(reading.events(703))).map(({ seq }) => seq), [704, 705]);
  await log.close();
});

test("an event that the next opening would refuse is refused at once, with all that came with it", async (t) => {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo());
  const broken = { type: "session.notice", session: "ses_root", level: "loud", code: "x", message: "y" } as unknown as NewEvent;
  const unknown = { type: "session.exploded", session: "ses_root" } as unknown as NewEvent;
  assert.throws(() => log.append(notice("fine"), broken), { code: "internal", message: "a malformed session.notice event was not written to the log" });
  assert.throws(() => log.append(unknown), { code: "internal", message: "a malformed session.exploded event was not written to the log" });
  assert.equal(log.state.seq, 1);
  await log.close();
  assert.throws(() => log.append(notice("late")), { code: "internal", message: "the log of ses_root is closed" });
  await assert.rejects(createSessionLog(`${directory}2`, { ...sampleInfo(), createdAt: "now" as unknown as number }), { code: "internal" });
});

test("no session is where there is no log", async (t) => {
  const directory = await sessionFolder(t);
  const expected = { code: "session_not_found", message: `there is no session ses_root (no log in ${directory})` };
  await assert.rejects(openSessionLog(directory), expected);
  await assert.rejects(readSessionLog(directory), expected);
});

test("events of a later version are kept, passed on and counted", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo(), { now: () => 1000 })).close();
  const later = '{"seq":2,"at":2000,"type":"part.painted","session":"ses_root","colour":"red"}\n';
  const { appendFile } = await import("node:fs/promises");
  await appendFile(`${directory}/log.jsonl`, later);
  const log = await openSessionLog(directory, { now: () => 3000 });
  assert.deepEqual(log.append(notice("x")).map(({ seq }) => seq), [3]);
  await log.flushed();
  assert.deepEqual((await collect(log.read(1)))[0], JSON.parse(later) as LogEvent);
  await log.close();
});
