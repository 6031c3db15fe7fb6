import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_FILES, type TraceFiles } from "./files.ts";
import { readCalls, tailCalls } from "./call-tail.ts";
import { readBody, readBodyText } from "./read-body.ts";
import { testClock } from "./testing/clock.ts";
import { wireFixture } from "./testing/fixtures.ts";
import { bytes, EVENT_STREAM, JSON_BODY, recordCall, requestHead, ROUTE, splitAt } from "./testing/record-call.ts";
import { scratchTrace } from "./testing/scratch.ts";
import { openTrace } from "./writer.ts";

test("a tail follows a call from its request to its end and reads each byte once", async (t) => {
  const directory = await scratchTrace(t);
  const read: { path: string; position: number; bytes: number }[] = [];
  const fs: TraceFiles = {
    ...NODE_FILES,
    async open(path, flags) {
      const file = await NODE_FILES.open(path, flags);
      const original = file.read.bind(file) as (...args: [Buffer, number, number, number]) => Promise<{ bytesRead: number }>;
      return Object.assign(file, {
        read: async (...args: [Buffer, number, number, number]) => {
          const result = await original(...args);
          read.push({ path, position: args[3], bytes: result.bytesRead });
          return result;
        },
      });
    },
  };
  const tail = tailCalls(directory, { session: "ses_x", fs });
  assert.deepEqual(await tail.update(), [], "no folder yet");

  const trace = await openTrace(directory);
  const stream = wireFixture("messages/tool-use.sse");
  const call = trace.begin(requestHead({ protocol: "messages" }));
  call.requestBody(bytes('{"model":"m","stream":true}'));
  call.requestEnd();
  await trace.flush();
  const steps = [await tail.update()];
  call.route({ ...ROUTE, provider: "one" });
  call.responseHead(200, [EVENT_STREAM]);
  for (const chunk of splitAt(stream, [700, 1600])) {
    call.responseBody(chunk);
    await trace.flush();
    steps.push(await tail.update());
  }
  await call.end("complete");
  steps.push(await tail.update(), await tail.update());

  assert.deepEqual(steps.map((calls) => calls.map((seen) => [seen.end, seen.responseId, seen.toolCallIds.length, seen.usage?.output ?? null])), [
    [["open", null, 0, null]],
    [["open", "msg_01XmK3vQ9bTz7RwLpN5cYdHe", 0, null]],
    [["open", "msg_01XmK3vQ9bTz7RwLpN5cYdHe", 0, null]],
    [["open", "msg_01XmK3vQ9bTz7RwLpN5cYdHe", 1, 87]],
    [["complete", "msg_01XmK3vQ9bTz7RwLpN5cYdHe", 1, 87]],
    [],
  ]);
  const total = read.reduce((sum, { bytes: count }) => sum + count, 0);
  const furthest = Math.max(...read.map(({ position, bytes: count }) => position + count));
  assert.equal(total, furthest, "no byte twice");
  assert.deepEqual(tail.calls, await readCalls(directory, { session: "ses_x" }));
  assert.ok(stream.equals((await tail.body(0, "response")).bytes));
  await trace.close();
});

test("a whole call, from recorded bytes to every field", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory, testClock());
  await recordCall(trace, {
    request: '{"model":"up/gpt-4.1","stream":true}',
    requestHeaders: [JSON_BODY, ["authorization", "Bearer abc"]],
    routes: [{ ...ROUTE, provider: "down" }, { ...ROUTE, model: "up/gpt-4.1" }],
    status: 200, headers: [EVENT_STREAM, ["x-request-id", "req_9"]], response: wireFixture("chat-completions/text.sse"), end: "complete",
  });
  await trace.close();
  assert.deepEqual(await readCalls(directory, { session: "ses_x" }), [{
    id: "cal_ad4654d00000dJqa3x1ZodexJF",
    number: 0, session: "ses_x", role: "main", agent: null, nativeSession: null,
    protocol: "chat-completions", method: "POST", target: "/s/***/v1/chat/completions",
    provider: "up", model: { asked: "up/gpt-4.1", served: "gpt-4.1-2025-04-14" },
    status: 200, end: "complete", error: null, streamed: true,
    responseId: "chatcmpl-CkT7wB3nYt5hRu72KpVe8sJd", toolCallIds: [], finish: "stop",
    usage: { input: 112, output: 31, reasoning: 12, cacheRead: 1408, cacheWrite: 0 },
    startedAt: 1_764_500_000_000, timing: { firstByte: 10.5, end: 12 },
    request: { bytes: 36, sha256: "2c6935793a6479e8ba6ca6d988f906d614420256128cc2b94fcf7ebe8a69101f" },
    response: { bytes: 3797, sha256: "8f7180573d6e1ff896286e5fc2e516eca1551b6b0cd7e0a4fb97860393f715fb", encoding: null },
    textDigest: "96f2808bfc16db80c1201cba5348525be492dbe64c2e17757e8255c5127293d5",
    attempts: [{ ...ROUTE, provider: "down" }, { ...ROUTE, model: "up/gpt-4.1" }],
    requestHeaders: [JSON_BODY, ["authorization", "**********"]],
    responseHeaders: [EVENT_STREAM, ["x-request-id", "req_9"]],
    notes: [],
  }]);
});

test("an adapter's attribution decides the role; one that throws makes it unknown and says why", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  for (const agent of ["main", "explore", "bad"]) {
    await recordCall(trace, { request: JSON.stringify({ model: "m", metadata: { agent } }), requestHeaders: [["x-native", `n-${agent}`]], end: "refused" });
  }
  await trace.close();
  const calls = await readCalls(directory, {
    session: "ses_x",
    attribute({ headers, body }) {
      const { agent } = (body as { metadata: { agent: string } }).metadata;
      if (agent === "bad") throw new Error("no such agent");
      return { role: agent === "main" ? "main" : "sub", agent, nativeSession: headers[0]![1] };
    },
  });
  assert.deepEqual(calls.map(({ role, agent, nativeSession, notes }) => ({ role, agent, nativeSession, notes })), [
    { role: "main", agent: "main", nativeSession: "n-main", notes: [] },
    { role: "sub", agent: "explore", nativeSession: "n-explore", notes: [] },
    { role: "unknown", agent: null, nativeSession: null, notes: ["attribution failed: no such agent"] },
  ]);
});

test("only the last response counts when the upstream was asked again", async (t) => {
  const directory = await scratchTrace(t);
  const trace = await openTrace(directory);
  const call = trace.begin(requestHead());
  call.requestEnd();
  call.route({ ...ROUTE, provider: "one" });
  call.responseHead(503, [JSON_BODY, ["content-encoding", "br"]]);
  call.responseBody(bytes("busy"));
  call.route({ ...ROUTE, provider: "two" });
  call.responseHead(200, [JSON_BODY]);
  call.responseBody(wireFixture("chat-completions/completion.json"));
  await call.end("complete");
  const [stored] = await readCalls(directory, { session: "ses_x" });
  assert.deepEqual(
    [stored!.status, stored!.provider, stored!.attempts.length, stored!.end, stored!.responseId],
    [200, "two", 2, "complete", "chatcmpl-CkT80cQ9Wd1xEo53NbGh6mLa"],
  );
  assert.ok(wireFixture("chat-completions/completion.json").equals(await readBody(directory, 0, "response")));
  assert.equal((await readBodyText(directory, 0, "response")).problem, null);
  await trace.close();
});

test("a call that is not there is call_not_found", async (t) => {
  const directory = await scratchTrace(t);
  await assert.rejects(readBody(directory, 4, "request"), { code: "call_not_found", message: `the trace ${directory} has no call 4` });
  assert.deepEqual(await readCalls(directory, { session: "ses_x" }), []);
});
