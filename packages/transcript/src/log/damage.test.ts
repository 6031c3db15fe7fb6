import { EMPTY_TREE, reduceAll } from "@beeuni/transcript";
import { createSessionLog, openSessionLog, peekSession, readSessionLog } from "@beeuni/transcript/log";
import { eventsOf, legalSession, sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { parseLine } from "./lines.ts";
import { faultyFs, notice, sessionFolder } from "./testing.ts";

/** A session's folder, its log's bytes, and where each line begins. */
async function sampleLog(t: TestContext, choices: number[]): Promise<{ directory: string; path: string; bytes: Buffer; starts: number[] }> {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo(), { now: () => 2000 });
  for (const event of eventsOf(legalSession(choices)).slice(1)) log.append(event);
  log.append(notice("é🐝"));
  await log.close();
  const path = join(directory, "log.jsonl");
  const bytes = await readFile(path);
  const starts = [0];
  for (const [at, byte] of bytes.entries()) if (byte === 10) starts.push(at + 1);
  return { directory, path, bytes, starts };
}

/** A thousand openings need no disk to be sure of itself. */
const unsynced = faultyFs({ datasync: async () => {} });

test("a log torn at any byte opens with all whole lines, and goes on", async (t) => {
  const { directory, path, bytes, starts } = await sampleLog(t, []);
  const events = bytes.toString().trimEnd().split("\n").map((line, index) => parseLine(Buffer.from(line), index + 1));
  for (let cut = starts[1]!; cut <= bytes.length; cut++) {
    await writeFile(path, bytes.subarray(0, cut));
    const whole = starts.filter((start) => start > 0 && start <= cut).length;
    const log = await openSessionLog(directory, { now: () => 3000, fs: unsynced });
    assert.equal(log.tornBytes, cut - starts[whole]!, `cut at ${cut}`);
    assert.deepEqual(log.state, reduceAll(EMPTY_TREE, events.slice(0, whole)), `cut at ${cut}`);
    log.append(notice("on it goes"));
    await log.close();
    assert.deepEqual(
      (await readFile(path)).subarray(starts[whole]).toString(),
      `{"seq":${whole + 1},"at":3000,"type":"session.notice","session":"ses_root","level":"info","code":"test","message":"on it goes"}\n`,
    );
  }
});

test("a reader leaves a torn line alone; so does a list", async (t) => {
  const { directory, path, bytes, starts } = await sampleLog(t, [0, 2]);
  await writeFile(path, bytes.subarray(0, starts[3]! + 20));
  const reading = await readSessionLog(directory);
  assert.deepEqual([reading.state.seq, reading.tornBytes], [3, 20]);
  assert.equal((await peekSession(directory))!.messages, 1);
  assert.equal((await readFile(path)).length, starts[3]! + 20);
});

test("a torn line may hold anything, zero bytes too, as a lost write leaves them", async (t) => {
  const { directory, path, bytes } = await sampleLog(t, [0]);
  await writeFile(path, Buffer.concat([bytes, Buffer.alloc(4096)]));
  const log = await openSessionLog(directory);
  assert.equal(log.tornBytes, 4096);
  await log.close();
  assert.deepEqual(await readFile(path), bytes);
});

test("a bad line before the end is told with file, line, byte and what to do; nothing is changed", async (t) => {
  const { directory, path, bytes, starts } = await sampleLog(t, [0, 2]);
  const at = starts[2]!;
  const line = (text: string | Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(starts[3]! - 1)]);
  const flipped = Buffer.from(bytes);
  flipped[at + 1] = 0;
  const third = bytes.subarray(at, starts[3]! - 1).toString();
  const cases: [Buffer, string][] = [
    [flipped, "the line is not JSON"],
    [line("null"), "the line is not an event"],
    [line("7"), "the line is not an event"],
    [line(""), "the line is not JSON"],
    [line(Buffer.concat([Buffer.from(third.slice(0, -2)), Buffer.from([0xff]), Buffer.from(third.slice(-2))])), "the line is not valid UTF-8"],
    [line(third.replace('"seq":3', '"seq":4')), "the line should be event 3, but says 4"],
    [line(third.replace('"seq":3,', "")), "the line should be event 3, but says nothing"],
    [line(third.replace('"role":"user"', '"role":"judge"')), "the line is no well-formed message.created event: message.role: Invalid discriminator value. Expected 'user' | 'assistant'"],
    [Buffer.concat([bytes.subarray(0, at), bytes.subarray(starts[3])]), "the line should be event 3, but says 4"],
    // Terminated by a line feed: it was written whole, so it is no torn line.
    [Buffer.concat([bytes.subarray(0, at), Buffer.from('{"seq":3\n')]), "the line is not JSON"],
  ];
  for (const [damaged, reason] of cases) {
    await writeFile(path, damaged);
    const expected = {
      code: "session_corrupt", message: `${path}:3: ${reason} (byte ${at}); nothing was changed`,
      hint: `restore the file from a copy; or keep what stands before that line: cp ${path} ${path}.bad && truncate -s ${at} ${path}`,
    };
    await assert.rejects(openSessionLog(directory), expected);
    await assert.rejects(readSessionLog(directory), expected);
    assert.deepEqual(await readFile(path), damaged);
    assert.deepEqual(await readdir(directory), ["log.jsonl"]);
  }
});

test("following that advice gives a session that opens", async (t) => {
  const { directory, path, bytes, starts } = await sampleLog(t, [0, 2]);
  await writeFile(path, bytes.subarray(0, starts[2]));
  const log = await openSessionLog(directory);
  assert.equal(log.state.seq, 2);
  await log.close();
});

test("the head of a log is checked: an empty one, another format, another first event", async (t) => {
  const { directory, path, bytes } = await sampleLog(t, []);
  const [head] = bytes.toString().split("\n");
  const cases: [string, string][] = [
    ["", "the log holds no whole line"],
    [head!.slice(0, 30), "the log holds no whole line"],
    [`${head!.replace("transcript.v1", "transcript.v9")}\n`, 'the log has the format "beeuni.transcript.v9"; this version reads beeuni.transcript.v1'],
    [`${JSON.stringify({ seq: 1, at: 1, ...notice("x") })}\n`, "a log begins with session.created"],
  ];
  for (const [text, reason] of cases) {
    await writeFile(path, text);
    await assert.rejects(openSessionLog(directory), {
      code: "session_corrupt", message: `${path}:1: ${reason} (byte 0); nothing was changed`,
      hint: "there is nothing before it to keep: restore the file from a copy, or remove the session's folder",
    });
    assert.equal(await readFile(path, "utf8"), text);
  }
});
