import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readCalls } from "./call-tail.ts";
import { readBody } from "./read-body.ts";
import { faultyFiles } from "./testing/failing-files.ts";
import { bytes, recordCall, requestHead } from "./testing/record-call.ts";
import { scratchTrace } from "./testing/scratch.ts";
import { openTrace } from "./writer.ts";

test("a full disk is storage_failed on end, flush, begin and close, and stays so; what was written is kept", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { fs: faultyFiles("full", 900) });
  await recordCall(trace, { protocol: "models", status: 200, response: "fits", end: "complete" });
  const full = {
    code: "storage_failed",
    message: `the wire trace can't be written: ${join(directory, "0001.seg")}: ENOSPC: no space left on device, writev`,
    hint: "free space on that disk, then run the command again",
  };
  const call = trace.begin(requestHead());
  call.requestBody(Buffer.alloc(2000));
  await assert.rejects(trace.flush(), full);
  call.requestBody(bytes("dropped, not thrown"));
  call.requestEnd();
  call.responseHead(200, []);
  call.responseBody(bytes("dropped, not thrown"));
  await assert.rejects(call.end("complete"), full);
  await assert.rejects(trace.flush(), full);
  assert.throws(() => trace.begin(requestHead()), full);
  await trace.drained();
  await assert.rejects(trace.close(), full);

  // Space is there again: the torn frame goes, the numbers go on, the call that was lost is told as cut.
  const again = await openTrace(directory);
  assert.deepEqual({ ...again.recovered, tornBytes: again.recovered.tornBytes > 0 }, { tornBytes: true, cutCalls: [1], damaged: null });
  await recordCall(again, { protocol: "models", status: 200, response: "third", end: "complete" });
  await again.close();
  const calls = await readCalls(directory, { session: "ses_x", onProblem: (problem) => assert.fail(problem.message) });
  assert.deepEqual(calls.map((stored) => [stored.number, stored.response.bytes, stored.end]), [[0, 4, "complete"], [1, 0, "cut"], [2, 5, "complete"]]);
});

test("a disk that can't sync is storage_failed", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { fs: faultyFiles("sync fails") });
  await recordCall(trace, { end: "refused" });
  await assert.rejects(trace.flush(), { code: "storage_failed" });
  assert.throws(() => trace.begin(requestHead()), { code: "storage_failed" });
  await assert.rejects(trace.close(), { code: "storage_failed" });
});

test("writes that take a few bytes at a time lose nothing", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { fs: faultyFiles("short writes"), segmentBytes: 400 });
  await recordCall(trace, { request: "Größe 🐝 ".repeat(9), status: 200, response: [bytes("ab"), bytes("c"), bytes("def")], end: "complete" });
  await trace.close();
  assert.equal(String(await readBody(directory, 0, "request")), "Größe 🐝 ".repeat(9));
  assert.equal(String(await readBody(directory, 0, "response")), "abcdef");
});
