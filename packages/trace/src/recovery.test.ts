import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readCalls, tailCalls } from "./call-tail.ts";
import { readBody } from "./read-body.ts";
import type { StoredCall } from "./stored-call.ts";
import { recordCall } from "./testing/record-call.ts";
import { scratchTrace } from "./testing/scratch.ts";
import { openTrace } from "./writer.ts";

const ends = (calls: readonly StoredCall[]) => calls.map(({ number, end, error, timing }) => ({ number, end, error, ended: timing.end !== null }));

test("after kill -9 in the middle of a call: open while nobody knows, cut once the writer is known to be gone, and numbers go on", async (t) => {
  const directory = await scratchTrace(t);
  const child = spawn(process.execPath, [join(import.meta.dirname, "testing/record-until-killed.ts"), directory], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");

  const whole = { number: 0, end: "complete", error: null, ended: true };
  const refused = { number: 2, end: "refused", error: "no upstream", ended: true };
  const cut = { number: 1, end: "cut", error: "the process ended before the call did", ended: false };
  assert.deepEqual(ends(await readCalls(directory, { session: "ses_x" })), [whole, { number: 1, end: "open", error: null, ended: false }, refused]);
  assert.deepEqual(ends(await readCalls(directory, { session: "ses_x", writer: "gone" })), [whole, cut, refused]);

  const trace = await openTrace(directory);
  assert.deepEqual([trace.nextNumber, trace.recovered.cutCalls, trace.recovered.damaged], [3, [1], null]);
  await recordCall(trace, { end: "aborted" });
  await trace.close();
  const calls = await readCalls(directory, { session: "ses_x" });
  assert.deepEqual(ends(calls), [whole, cut, refused, { number: 3, end: "aborted", error: null, ended: true }]);
  assert.ok(String(await readBody(directory, 1, "response")).startsWith("data: {}\n\n"));
  const again = await openTrace(directory);
  assert.deepEqual(again.recovered.cutCalls, []);
  await again.close();
});

test("a segment cut at any byte: no crash, every call before the cut is whole, and writing goes on behind it", async (t) => {
  const source = await scratchTrace(t);
  const trace = await openTrace(source);
  const boundaries: number[] = [];
  for (const response of ["first", "second"]) {
    await recordCall(trace, { protocol: "models", status: 200, response, end: "complete" });
    boundaries.push((await readFile(join(source, "0001.seg"))).length);
  }
  await trace.close();
  const bytes = await readFile(join(source, "0001.seg"));
  const calls = await readCalls(source, { session: "ses_x" });

  const target = await scratchTrace(t);
  await (await openTrace(target)).close();
  for (let length = 0; length < bytes.length; length++) {
    await writeFile(join(target, "0001.seg"), bytes.subarray(0, length));
    const whole = boundaries.filter((end) => end <= length).length;
    const read = await readCalls(target, { session: "ses_x", onProblem: (problem) => assert.fail(problem.message) });
    assert.deepEqual(read.slice(0, whole), calls.slice(0, whole), `cut at ${length}`);
    assert.ok(read.slice(whole).every((call) => call.end === "open" && read.length <= whole + 1), `cut at ${length}`);
    if (length % 53 !== 0) continue; // reopening syncs to the disk: some places are enough
    const again = await openTrace(target);
    const next = await recordCall(again, { protocol: "models", status: 200, response: "after", end: "complete" });
    await again.close();
    const after = await readCalls(target, { session: "ses_x", onProblem: (problem) => assert.fail(problem.message) });
    assert.deepEqual(after.slice(0, whole), calls.slice(0, whole), `cut at ${length}`);
    assert.deepEqual(after.map(({ number, end }) => [number, end]), [
      ...calls.slice(0, whole).map(({ number }) => [number, "complete"]),
      ...read.slice(whole).map(({ number }) => [number, "cut"]),
      [next.number, "complete"],
    ], `cut at ${length}`);
  }
});

test("garbage at the tail stays as it is, is reported with its place, and writing goes on in a new segment", async (t) => {
  const directory = await scratchTrace(t);
  const first = await openTrace(directory);
  await recordCall(first, { protocol: "models", status: 200, response: "kept", end: "complete" });
  await first.close();
  const path = join(directory, "0001.seg");
  const good = (await readFile(path)).length;
  await appendFile(path, Buffer.alloc(64));

  const second = await openTrace(directory);
  assert.deepEqual(second.recovered, { tornBytes: 0, cutCalls: [], damaged: { path, offset: good, why: "checksum does not match" } });
  await recordCall(second, { protocol: "models", status: 200, response: "new", end: "complete" });
  await second.close();
  assert.deepEqual(await readdir(directory), ["0001.seg", "0002.seg"]);
  assert.equal((await readFile(path)).length, good + 64);

  const problems: unknown[] = [];
  const calls = await readCalls(directory, { session: "ses_x", onProblem: (problem) => problems.push(problem) });
  assert.deepEqual(calls.map(({ number, end, response }) => [number, end, response.bytes]), [[0, "complete", 4], [1, "complete", 3]]);
  assert.deepEqual(problems, [{ path, offset: good, message: `${path}: damaged at byte ${good}: checksum does not match` }]);
});

test("a flipped bit in an old segment costs what stands behind it there, not the later segments; the call it hits says so", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { segmentBytes: 900 });
  for (let n = 0; n < 4; n++) await recordCall(trace, { protocol: "models", status: 200, response: "x".repeat(300), end: "complete" });
  await trace.close();
  const path = join(directory, "0001.seg");
  const bytes = await readFile(path);
  const hit = bytes.indexOf("xxx");
  bytes[hit]! ^= 1;
  await writeFile(path, bytes);

  const tail = tailCalls(directory, { session: "ses_x" });
  await tail.update();
  const [problem, ...more] = tail.problems;
  assert.deepEqual([more, problem!.path, problem!.offset < hit], [[], path, true]);
  const calls = tail.calls;
  assert.deepEqual({ end: calls[0]!.end, error: calls[0]!.error, notes: calls[0]!.notes }, { end: "cut", error: problem!.message, notes: [problem!.message] });
  assert.deepEqual([calls.at(-1)!.number, calls.at(-1)!.end], [3, "complete"]);
  await tail.update();
  assert.equal(tail.problems.length, 1);
});
