import { EMPTY_TREE, reduceAll, sessionEntry, type TreeState } from "@beeuni/transcript";
import { createSessionLog, openSessionLog, peekSession, peekSessionTree, readSessionLog } from "@beeuni/transcript/log";
import { eventsOf, legalSession, logEvents, sampleInfo } from "@beeuni/transcript/testing";
import fc from "fast-check";
import assert from "node:assert/strict";
import { open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { NODE_FS } from "./files.ts";
import { notice, sessionFolder } from "./testing.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

const logs = fc.array(fc.nat(50_000), { maxLength: 60, size: "max" }).map((choices) => logEvents(eventsOf(legalSession(choices))));

/** Lines of a log with the byte offset after each. */
function linesOf(events: readonly object[]): { bytes: Buffer; ends: number[] } {
  let end = 0;
  const lines = events.map((event) => Buffer.from(`${JSON.stringify(event)}\n`));
  return { bytes: Buffer.concat(lines), ends: lines.map((line) => (end += line.length)) };
}

/** Writes a log and the snapshot of its first `count` events. */
async function writeLog(directory: string, events: ReturnType<typeof logEvents>, count: number): Promise<void> {
  const { bytes, ends } = linesOf(events);
  await writeFile(join(directory, "log.jsonl"), bytes);
  const file = await open(join(directory, "log.jsonl"));
  const end = ends[count - 1]!;
  await writeSnapshot(NODE_FS, join(directory, "snapshot.json"), file, { seq: count, offset: end }, end - (ends[count - 2] ?? 0) - 1, reduceAll(EMPTY_TREE, events.slice(0, count)));
  await file.close();
}

async function emptyFolder(t: TestContext): Promise<string> {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  return directory;
}

test("a snapshot of any prefix and the rest of the log equal the whole, for the state and for the list's entries", async (t) => {
  const directory = await emptyFolder(t);
  await fc.assert(fc.asyncProperty(logs, fc.nat(), async (events, choice) => {
    const count = 1 + (choice % events.length);
    await writeLog(directory, events, count);
    const whole = reduceAll(EMPTY_TREE, events);
    assert.deepEqual((await readSessionLog(directory)).state, whole);
    const [root, ...children] = Object.values(whole.sessions).map(sessionEntry);
    assert.deepEqual(await peekSessionTree(directory), { entry: root, children });
    await rm(join(directory, "snapshot.json"));
    assert.deepEqual(await peekSessionTree(directory), { entry: root, children });
  }), { numRuns: 60 });
});

test("the entry of a list counts removed messages and follows title, status and deletion", async (t) => {
  const directory = await emptyFolder(t);
  const message = (id: string) => ({ type: "message.created" as const, session: "ses_root", message: { id, session: "ses_root", role: "user" as const, turn: "trn_1", at: 1, agent: "build", model: { provider: "faux", id: "demo" } } });
  const events = logEvents([
    { type: "session.created", session: "ses_root", format: "beeuni.transcript.v1", info: sampleInfo() },
    message("msg_1"), message("msg_2"), { type: "message.removed", session: "ses_root", message: "msg_1" },
    { type: "session.updated", session: "ses_root", patch: { title: "New" } },
    { type: "turn.started", session: "ses_root", turn: "trn_1", origin: "user", agent: "build", model: { provider: "faux", id: "demo" }, harness: "x", callsFrom: 0 },
  ]);
  for (const count of [2, 3, 6]) {
    await writeLog(directory, events, count);
    assert.deepEqual(await peekSession(directory), { ...sampleInfo(), title: "New", updatedAt: 1006, status: { type: "busy", turn: "trn_1" }, messages: 1 });
  }
  assert.equal(await peekSession(join(directory, "..", "ses_none")), null);
});

test("opening really reads the snapshot: what it says differently is believed only while every check fits", async (t) => {
  const directory = await emptyFolder(t);
  const path = join(directory, "snapshot.json");
  const events = logEvents(eventsOf(legalSession(Array.from({ length: 40 }, (_, index) => index * 977))));
  const forged = (tree: TreeState): TreeState => ({ ...tree, sessions: { ...tree.sessions, ses_root: { ...tree.sessions["ses_root"]!, deleted: true } } });
  const { bytes, ends } = linesOf(events);
  await writeFile(join(directory, "log.jsonl"), bytes);
  const file = await open(join(directory, "log.jsonl"));
  t.after(() => file.close());
  await writeSnapshot(NODE_FS, path, file, { seq: 20, offset: ends[19]! }, ends[19]! - ends[18]! - 1, forged(reduceAll(EMPTY_TREE, events.slice(0, 20))));
  const isUsed = async (): Promise<boolean> => (await readSessionLog(directory)).state.sessions["ses_root"]!.deleted;
  const text = await readFile(path, "utf8");
  assert.equal(await isUsed(), true);
  assert.equal(JSON.parse(text).seq, 20);

  const cases: [string, string | Buffer][] = [
    ["another format", text.replace("beeuni.snapshot.v2", "beeuni.snapshot.v0")],
    ["a state that was changed", `${text.split("\n")[0]}\n${text.split("\n")[1]!.replace('"title":"', '"title":"x')}\n`],
    ["a file that was cut", text.slice(0, -20)],
    ["a head that was cut", text.slice(0, 50)],
    ["an empty file", ""],
    ["another place", text.replace(/"offset":\d+/, `"offset":${ends[18]!}`)],
    ["a place behind the log's end", text.replace(/"offset":\d+/, `"offset":${bytes.length + 5}`)],
    ["no JSON", "{,}\n{}"],
  ];
  for (const [name, damaged] of cases) {
    await writeFile(path, damaged);
    assert.equal(await isUsed(), false, name);
    assert.deepEqual((await readSessionLog(directory)).state, reduceAll(EMPTY_TREE, events), name);
  }
  // Another log than the one that it was made of: cut before that place and written on.
  await writeFile(path, text);
  const other = [...events.slice(0, 19), ...logEvents(Array.from({ length: 30 }, (_, index) => notice(`other ${index}`)), 20)];
  await writeFile(join(directory, "log.jsonl"), linesOf(other).bytes);
  assert.equal(await isUsed(), false);
  assert.equal(await readSnapshot(NODE_FS, path, file, bytes.length), null);
});

test("a long session writes snapshots as it goes and at its end, and opens from the last one", async (t) => {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo());
  const snapshotSeq = async (): Promise<number> => JSON.parse(await readFile(join(directory, "snapshot.json"), "utf8")).seq;
  for (let index = 0; index < 4100; index++) {
    log.append(notice(String(index)));
    if (index % 50 === 0) await log.flushed();
  }
  await log.flushed();
  while (!(await readdir(directory)).includes("snapshot.json")) await new Promise(setImmediate);
  const first = await snapshotSeq();
  assert.ok(first >= 4001 && first < 4101, String(first));
  for (let index = 0; index < 300; index++) log.append(notice(`more ${index}`));
  const { state } = log;
  await log.close();
  assert.equal(await snapshotSeq(), 4401);
  assert.deepEqual((await readdir(directory)).sort(), ["log.jsonl", "snapshot.json"]);
  const again = await openSessionLog(directory);
  assert.deepEqual(again.state, state);
  const numbers: number[] = [];
  for await (const { seq } of again.read(4395)) numbers.push(seq);
  assert.deepEqual(numbers, [4396, 4397, 4398, 4399, 4400, 4401]);
  await again.close();
});
