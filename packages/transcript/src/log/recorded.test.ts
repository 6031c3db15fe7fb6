import { EMPTY_TREE, reduce, reduceAll, sessionEntry, type TreeState } from "@beeuni/transcript";
import { openSessionLog, peekSession, readSessionLog } from "@beeuni/transcript/log";
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { parseLine } from "./lines.ts";
import { sessionFolder } from "./testing.ts";

const RECORDED = resolve(import.meta.dirname, "../../../../test/fixtures/logs");

for (const name of await readdir(RECORDED)) {
  const bytes = await readFile(join(RECORDED, name));
  const events = bytes.toString().trimEnd().split("\n").map((line, index) => parseLine(Buffer.from(line), index + 1));
  const whole = reduceAll(EMPTY_TREE, events);

  test(`${name}: any prefix, kept as JSON, plus the rest equals the whole`, () => {
    for (let cut = 0; cut <= events.length; cut++) {
      const prefix = JSON.parse(JSON.stringify(reduceAll(EMPTY_TREE, events.slice(0, cut)))) as TreeState;
      assert.deepEqual(reduceAll(prefix, events.slice(cut)), whole);
    }
    // The control: the same with one event left out is noticed.
    const unlike = events.map((_, gap) => events.reduce((state, event, index) => (index === gap ? state : reduce(state, event)), EMPTY_TREE));
    const { seq: _, at: __, ...content } = whole;
    const told = unlike.filter(({ seq: _seq, at: _at, ...without }) => JSON.stringify(without) !== JSON.stringify(content));
    assert.ok(told.length > events.length / 2, `${told.length} of ${events.length} events make a difference`);
  });

  test(`${name}: opened, read and listed from its file, torn at each line's end too`, async (t) => {
    const directory = await sessionFolder(t);
    await mkdir(directory);
    await writeFile(join(directory, "log.jsonl"), bytes);
    assert.deepEqual((await readSessionLog(directory)).state, whole);
    assert.deepEqual(await peekSession(directory), sessionEntry(whole.sessions[whole.root!]!));
    for (let count = events.length; count > 1; count--) {
      const log = await openSessionLog(directory);
      assert.deepEqual(log.state, reduceAll(EMPTY_TREE, events.slice(0, count)));
      await log.close();
      // Only the line feed is missing: the line counts as torn.
      const end = events.slice(0, count).reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)) + 1, 0);
      await truncate(join(directory, "log.jsonl"), end - 1);
    }
  });
}

test("there are recorded logs", async () => {
  assert.ok((await readdir(RECORDED)).length > 0);
});
