import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { readCalls } from "./call-tail.ts";
import { readBody } from "./read-body.ts";
import { bytes, EVENT_STREAM, recordCall, requestHead, splitAt } from "./testing/record-call.ts";
import { scratchTrace } from "./testing/scratch.ts";
import { openTrace } from "./writer.ts";

test("bodies are kept byte for byte, whatever the bytes and the chunks", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { segmentBytes: 4096 });
  await fc.assert(fc.asyncProperty(
    fc.uint8Array({ maxLength: 600 }), fc.uint8Array({ maxLength: 3000 }), fc.array(fc.nat()), async (request, response, places) => {
      const call = await recordCall(trace, { request, status: 200, response: splitAt(response, places), end: "complete" });
      assert.deepEqual(new Uint8Array(await readBody(directory, call.number, "request")), request);
      assert.deepEqual(new Uint8Array(await readBody(directory, call.number, "response")), response);
    },
  ), { numRuns: 60 });
  await trace.close();
});

test("the folder is 0700, the segments 0600, and no credential is in them", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  await recordCall(trace, {
    requestHeaders: [["authorization", "Bearer sk-secret-1"], ["x-api-key", "sk-secret-2"]],
    status: 200, headers: [EVENT_STREAM, ["set-cookie", "sk-secret-3"]], response: "", end: "complete",
  });
  await trace.close();
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.deepEqual(await readdir(directory), ["0001.seg"]);
  assert.equal((await stat(join(directory, "0001.seg"))).mode & 0o777, 0o600);
  assert.equal((await readFile(join(directory, "0001.seg"))).includes("sk-secret"), false);
  const [call] = await readCalls(directory, { session: "ses_x" });
  assert.deepEqual(call!.requestHeaders, [["authorization", "*".repeat(18)], ["x-api-key", "*".repeat(11)]]);
  assert.deepEqual(call!.responseHeaders, [EVENT_STREAM, ["set-cookie", "*".repeat(11)]]);
});

test("a full segment is followed by the next one; numbers go on over a reopen", async (t) => {
  const directory = await scratchTrace(t);
  const first = await openTrace(directory, { segmentBytes: 700 });
  for (let n = 0; n < 3; n++) await recordCall(first, { protocol: "models", response: "x".repeat(500), status: 200, end: "complete" });
  assert.equal(first.nextNumber, 3);
  await first.close();
  const names = await readdir(directory);
  assert.ok(names.length > 2, names.join(" "));

  const second = await openTrace(directory, { segmentBytes: 700 });
  assert.deepEqual([second.nextNumber, second.recovered], [3, { tornBytes: 0, cutCalls: [], damaged: null }]);
  await recordCall(second, { request: "four", end: "refused" });
  await second.close();
  const calls = await readCalls(directory, { session: "ses_x" });
  assert.deepEqual(calls.map((call) => [call.number, call.end, call.response.bytes]), [[0, "complete", 500], [1, "complete", 500], [2, "complete", 500], [3, "refused", 0]]);
  assert.equal(String(await readBody(directory, 3, "request")), "four");
});

test("the numbers never fall behind what the session's log knows", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { startAt: 12 });
  assert.equal((await recordCall(trace, { end: "refused" })).number, 12);
  await trace.close();
  const again = await openTrace(directory, { startAt: 5 });
  assert.equal(again.nextNumber, 13);
  await again.close();
});

test("interleaved calls stay apart, each in its own order", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, { segmentBytes: 300 });
  const pair = [trace.begin(requestHead()), trace.begin(requestHead())] as const;
  for (const call of pair) {
    call.requestEnd();
    call.responseHead(200, [EVENT_STREAM]);
  }
  for (let n = 0; n < 40; n++) pair[n % 3 === 0 ? 0 : 1].responseBody(bytes(`${n},`));
  await Promise.all(pair.map((call) => call.end("complete")));
  await trace.close();
  const thirds = Array.from({ length: 40 }, (_, n) => n);
  assert.equal(String(await readBody(directory, 0, "response")), thirds.filter((n) => n % 3 === 0).map((n) => `${n},`).join(""));
  assert.equal(String(await readBody(directory, 1, "response")), thirds.filter((n) => n % 3 !== 0).map((n) => `${n},`).join(""));
});

test("end() resolves when the call can be read back; what comes behind it is ignored", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  const call = await recordCall(trace, { status: 200, response: "whole", end: "complete" });
  call.responseBody(bytes(" and more"));
  await call.end("aborted", "too late");
  await trace.flush();
  const [stored] = await readCalls(directory, { session: "ses_x" });
  assert.deepEqual([stored!.response.bytes, String(await readBody(directory, 0, "response"))], [5, "whole"]);
  await trace.close();
});

test("closing gives a call under way an end and takes no new one", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  const call = await recordCall(trace, { status: 200, response: "half" });
  await trace.close();
  await trace.close();
  await call.end("complete");
  const [stored] = await readCalls(directory, { session: "ses_x" });
  assert.deepEqual([stored!.end, stored!.error], ["cut", "the trace was closed before the call ended"]);
  assert.throws(() => trace.begin(requestHead()), { code: "internal", message: "the wire trace is closed: no call can begin" });
});

test("a chunk larger than a frame is written whole", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  const big = Buffer.alloc(17 * 1024 * 1024, "beeuni ");
  const call = trace.begin(requestHead());
  call.requestBody(big);
  await trace.drained();
  await call.end("refused");
  await trace.close();
  assert.ok(big.equals(await readBody(directory, 0, "request")));
});

test("the folder's parent must take it", async (t) => {
  const directory = await scratchTrace(t);
  const occupied = join(dirname(directory), "file");
  await writeFile(occupied, "");
  await assert.rejects(openTrace(join(occupied, "ses_x")), {
    code: "storage_failed",
    message: `the wire trace can't be written: ${join(occupied, "ses_x")}: ENOTDIR: not a directory, mkdir '${join(occupied, "ses_x")}'`,
    hint: "a file stands where a folder is needed: move it away",
  });
});
