import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import type { CallRecord } from "./call-record.ts";
import { deriveCall } from "./derive-call.ts";
import { readRequest } from "./read-request.ts";
import type { StoredCall } from "./stored-call.ts";
import { wireFixture } from "./testing/fixtures.ts";
import { EVENT_STREAM, JSON_BODY, splitAt } from "./testing/record-call.ts";
import { textDigest } from "./text-digest.ts";
import type { CallEnd } from "./types.ts";

interface Exchange {
  protocol: string;
  body: Uint8Array | readonly Uint8Array[];
  status?: number;
  headers?: [string, string][];
  end?: CallEnd | null;
  error?: string;
  request?: readonly Uint8Array[];
}

function derive(exchange: Exchange): StoredCall {
  const body = exchange.body instanceof Uint8Array ? [exchange.body] : [...exchange.body];
  const end = exchange.end === undefined ? "complete" : exchange.end;
  const record: CallRecord = {
    number: 0, head: { at: 1, method: "POST", target: "/", protocol: exchange.protocol, headers: [] }, request: [], requestEnded: true,
    attempts: [], response: { status: exchange.status ?? 200, headers: exchange.headers ?? [EVENT_STREAM] }, body, firstByte: 1000,
    end: end === null ? null : { reason: end, offset: 2000, ...(exchange.error === undefined ? {} : { error: exchange.error }) },
    spans: [], damage: null,
  };
  const request = readRequest(record.head, exchange.request ?? [Buffer.from('{"model":"m"}')], undefined);
  return deriveCall(record, request, { session: "ses_x", writer: "running" });
}

/** What the body alone says. */
function said(call: StoredCall) {
  const { end, error, streamed, responseId, model, finish, usage, toolCallIds, textDigest: digest, notes } = call;
  return { end, error, streamed, responseId, served: model.served, finish, usage, toolCallIds, digest, notes };
}

const NOTHING = { error: null, finish: null, usage: null, toolCallIds: [], digest: null, notes: [] };

const CASES: { [fixture: string]: ReturnType<typeof said> } = {
  "chat-completions/tool-calls.sse": {
    ...NOTHING, end: "complete", streamed: true, responseId: "chatcmpl-CkT7vQm2Zr0aXb91LfYd3eHs", served: "gpt-4.1-2025-04-14", finish: "tool_calls",
    usage: { input: 157, output: 42, reasoning: 0, cacheRead: 1280, cacheWrite: 0 }, toolCallIds: ["call_a1Wq8nJm4Kc2", "call_b7Xe5pTt9Vd0"],
  },
  "chat-completions/text.sse": {
    ...NOTHING, end: "complete", streamed: true, responseId: "chatcmpl-CkT7wB3nYt5hRu72KpVe8sJd", served: "gpt-4.1-2025-04-14", finish: "stop",
    usage: { input: 112, output: 31, reasoning: 12, cacheRead: 1408, cacheWrite: 0 },
    digest: textDigest("Im Ordner liegen drei Dateien: `Größe.md`, `naïve.py` und 🐝.txt."),
  },
  "chat-completions/completion.json": {
    ...NOTHING, end: "complete", streamed: false, responseId: "chatcmpl-CkT80cQ9Wd1xEo53NbGh6mLa", served: "gpt-4.1-2025-04-14", finish: "tool_calls",
    usage: { input: 88, output: 21, reasoning: 4, cacheRead: 0, cacheWrite: 0 }, toolCallIds: ["call_c3Rf6zYy1Bn8"], digest: textDigest("Über drei Dateien."),
  },
  "responses/tool-call.sse": {
    ...NOTHING, end: "complete", streamed: true, responseId: "resp_68e1c2a4b5d081a0b9f3e7c6d5a4b3c20f1e2d3c4b5a6978", served: "gpt-5.1-2025-11-13",
    finish: "completed", usage: { input: 290, output: 151, reasoning: 96, cacheRead: 1920, cacheWrite: 0 }, toolCallIds: ["call_Zk4mT8qW2xLp"],
    digest: textDigest("Ich schaue nach: Größe, naïve, 🐝."),
  },
  "responses/incomplete.sse": {
    ...NOTHING, end: "complete", streamed: true, responseId: "resp_68e1c2a4b5d081a0b9f3e7c6d5a4b3c20f1e2d3c4b5a6978", served: "gpt-5.1-2025-11-13",
    finish: "max_output_tokens", usage: { input: 290, output: 16, reasoning: 0, cacheRead: 1920, cacheWrite: 0 }, digest: textDigest("Zu lang"),
  },
  "responses/failed.sse": {
    ...NOTHING, end: "complete", streamed: true, responseId: "resp_68e1c2a4b5d081a0b9f3e7c6d5a4b3c20f1e2d3c4b5a6978", served: "gpt-5.1-2025-11-13",
    finish: "failed", error: "The model failed to generate a response.",
  },
  "responses/response.json": {
    ...NOTHING, end: "complete", streamed: false, responseId: "resp_68e1c2a4b5d081a0b9f3e7c6d5a4b3c20f1e2d3c4b5a6978", served: "gpt-5.1-2025-11-13",
    finish: "completed", usage: { input: 290, output: 151, reasoning: 96, cacheRead: 1920, cacheWrite: 0 }, toolCallIds: ["call_Zk4mT8qW2xLp"],
    digest: textDigest("Ich schaue nach: Größe, naïve, 🐝."),
  },
  "messages/tool-use.sse": {
    ...NOTHING, end: "complete", streamed: true, responseId: "msg_01XmK3vQ9bTz7RwLpN5cYdHe", served: "claude-sonnet-4-5-20250929", finish: "tool_use",
    usage: { input: 12, output: 87, reasoning: 0, cacheRead: 8190, cacheWrite: 415 }, toolCallIds: ["toolu_01Qp7VnZ4dKc8WyTfHs2LbMx"],
    digest: textDigest("Ich sehe nach: Größe naïve 🐝"),
  },
  "messages/overloaded.sse": {
    ...NOTHING, end: "cut", streamed: true, responseId: "msg_01XmK3vQ9bTz7RwLpN5cYdHe", served: "claude-sonnet-4-5-20250929", error: "Overloaded",
    digest: textDigest("Ich"),
  },
  "messages/message.json": {
    ...NOTHING, end: "complete", streamed: false, responseId: "msg_01HnB5tYw8Qx2Zc6LrKd9VpE", served: "claude-sonnet-4-5-20250929", finish: "tool_use",
    usage: { input: 40, output: 19, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, toolCallIds: ["toolu_01Cd4RkMn7Xp2WqTbYz9HsVf"], digest: textDigest("Über drei Dateien."),
  },
};

const exchangeOf = (fixture: string): Exchange & { body: Buffer } => ({
  protocol: fixture.split("/")[0]!, body: wireFixture(fixture), headers: [fixture.endsWith(".sse") ? EVENT_STREAM : JSON_BODY],
});

for (const [fixture, expected] of Object.entries(CASES)) {
  test(`${fixture} is read as its protocol means it`, () => {
    assert.deepEqual(said(derive(exchangeOf(fixture))), expected);
  });
}

test("any split of the bytes gives the same call, inside UTF-8 characters and event lines too", () => {
  for (const fixture of Object.keys(CASES)) {
    const exchange = exchangeOf(fixture);
    const whole = derive(exchange);
    fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 40 }), (places) => {
      assert.deepEqual(derive({ ...exchange, body: splitAt(exchange.body, places) }), whole);
    }), { numRuns: 25 });
  }
  const exchange = exchangeOf("messages/tool-use.sse");
  assert.deepEqual(derive({ ...exchange, body: Array.from(exchange.body, (byte) => Uint8Array.of(byte)) }), derive(exchange));
});

test("a coded body is decoded for reading; its bytes and digest stay those on the wire", () => {
  const codings: [string, (body: Uint8Array) => Uint8Array][] = [
    ["gzip", gzipSync], ["deflate", deflateSync], ["deflate", deflateRawSync], ["br", brotliCompressSync], ["zstd", zstdCompressSync],
    ["br, gzip", (body) => gzipSync(brotliCompressSync(body))],
  ];
  for (const [fixture, expected] of Object.entries(CASES)) {
    for (const [encoding, encode] of codings) {
      const exchange = exchangeOf(fixture);
      const body = encode(exchange.body);
      const call = derive({ ...exchange, body: splitAt(body, [11, 40]), headers: [...exchange.headers!, ["Content-Encoding", encoding]] });
      assert.deepEqual([said(call), call.response.bytes, call.response.encoding], [expected, body.length, encoding], `${fixture} ${encoding}`);
    }
  }
});

test("a body that claims a coding it does not have is named, and the rest of the call stands", () => {
  const call = derive({ protocol: "messages", body: Buffer.from("{}"), headers: [JSON_BODY, ["content-encoding", "gzip"]] });
  assert.deepEqual([call.end, call.error, call.notes], ["cut", "the response's body is not whole JSON", ["response: the body can't be decoded as gzip: incorrect header check"]]);
  const odd = derive({ protocol: "messages", body: Buffer.from("{}"), headers: [JSON_BODY, ["content-encoding", "snappy"]] });
  assert.deepEqual(odd.notes, ["response: the body can't be decoded as snappy: unknown content coding"]);
});

test("a compressed request is read too", () => {
  const record = { at: 1, method: "POST", target: "/", protocol: "responses", headers: [["content-encoding", "zstd"]] as const };
  const body = zstdCompressSync(Buffer.from('{"model":"gpt-5.1"}'));
  assert.deepEqual([readRequest(record, splitAt(body, [5]), undefined).asked, readRequest(record, [body], undefined).bytes], ["gpt-5.1", body.length]);
});

test("a stream that ends anywhere before its protocol's end is cut, though HTTP ended well; usage is unknown unless it was reported", () => {
  const reported: { [fixture: string]: string } = {
    "chat-completions/tool-calls.sse": '"usage":{', "responses/tool-call.sse": "event: response.completed", "messages/tool-use.sse": "event: message_delta",
  };
  const mark: { [protocol: string]: string } = {
    "chat-completions": "data: [DONE]", responses: "response.completed, response.incomplete or response.failed", messages: "message_stop",
  };
  for (const [fixture, report] of Object.entries(reported)) {
    const exchange = exchangeOf(fixture);
    const ending = exchange.body.lastIndexOf("data: ");
    for (let length = 0; length < ending; length += 7) {
      const call = derive({ ...exchange, body: exchange.body.subarray(0, length) });
      assert.deepEqual([call.end, call.error], ["cut", `the stream ended without ${mark[exchange.protocol]}`], `${fixture} cut at ${length}`);
      const reportedAt = exchange.body.indexOf(report);
      if (length <= reportedAt) assert.equal(call.usage, null, `${fixture} cut at ${length}`);
    }
  }
});

test("running totals of a stream that broke off are not its usage", () => {
  const chunk = (finish: string | null, completion: number) =>
    `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta: { content: "x" }, finish_reason: finish }], usage: { prompt_tokens: 9, completion_tokens: completion } })}\n\n`;
  const cut = derive({ protocol: "chat-completions", body: Buffer.from(chunk(null, 1) + chunk(null, 2)), end: "cut", error: "other side closed" });
  assert.deepEqual([cut.end, cut.error, cut.usage], ["cut", "other side closed", null]);
  const whole = derive({ protocol: "chat-completions", body: Buffer.from(`${chunk(null, 1)}${chunk("stop", 2)}data: [DONE]\n\n`) });
  assert.deepEqual(whole.usage, { input: 9, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
});

test("the end that the protocol shows outweighs a connection that broke right behind it, and a client that left there", () => {
  for (const end of ["cut", "aborted"] as const) {
    const call = derive({ ...exchangeOf("chat-completions/text.sse"), end, error: "socket hang up" });
    assert.deepEqual([call.end, call.error], ["complete", null]);
  }
  const early = derive({ ...exchangeOf("chat-completions/text.sse"), body: wireFixture("chat-completions/text.sse").subarray(0, 900), end: "aborted" });
  assert.deepEqual([early.end, early.error, early.responseId, early.usage], ["aborted", null, "chatcmpl-CkT7wB3nYt5hRu72KpVe8sJd", null]);
  const running = derive({ ...exchangeOf("chat-completions/text.sse"), end: null });
  assert.deepEqual([running.end, running.timing.end], ["open", null]);
});

test("an answer with an error status keeps the provider's words and has no usage", () => {
  const openai = derive({ protocol: "chat-completions", status: 429, headers: [JSON_BODY], body: wireFixture("chat-completions/rate-limit.json") });
  assert.deepEqual([openai.end, openai.status, openai.responseId, openai.usage, openai.error?.slice(0, 30)], ["complete", 429, null, null, "Rate limit reached for gpt-4.1"]);
  const anthropic = derive({ protocol: "messages", status: 429, headers: [JSON_BODY], body: wireFixture("messages/rate-limit.json") });
  assert.equal(anthropic.error, "This request would exceed your organization's rate limit of 30,000 input tokens per minute.");
  assert.equal(derive({ protocol: "messages", status: 502, headers: [], body: Buffer.from("<h1>Bad Gateway</h1>") }).error, "<h1>Bad Gateway</h1>");
  assert.equal(derive({ protocol: "messages", status: 500, headers: [], body: Buffer.alloc(0) }).error, "HTTP 500");
  const refused = derive({ protocol: "messages", status: 404, headers: [JSON_BODY], body: Buffer.from('{"type":"error","error":{"type":"not_found_error","message":"no model x"}}'), end: "refused" });
  assert.deepEqual([refused.end, refused.error], ["refused", "no model x"]);
});

test("an error in the middle of a stream is told, not taken for success", () => {
  const chat = derive({ protocol: "chat-completions", body: Buffer.from('data: {"error":{"message":"out of memory","code":500}}\n\ndata: [DONE]\n\n') });
  assert.deepEqual([chat.end, chat.error, chat.usage], ["complete", "out of memory", null]);
  const responses = derive({ protocol: "responses", body: Buffer.from('event: error\ndata: {"type":"error","code":"server_error","message":"gone","param":null,"sequence_number":3}\n\n') });
  assert.deepEqual([responses.end, responses.error], ["cut", "gone"]);
});

test("an event that is not JSON is noted; a stream without a content type is still a stream; CRLF and comments are fine", () => {
  const call = derive({
    protocol: "chat-completions", headers: [],
    body: Buffer.from('data: {"id":"c1","choices":[]}\r\n\r\n: keep-alive\r\n\r\ndata: {oops\r\n\r\ndata: [DONE]'),
  });
  assert.deepEqual([call.end, call.streamed, call.responseId, call.notes], ["complete", true, "c1", ["event 2 of the response is not JSON"]]);
});

test("a protocol that is not read is shown as HTTP says", () => {
  const call = derive({ protocol: "models", headers: [JSON_BODY], body: Buffer.from('{"object":"list","data":[]}') });
  assert.deepEqual(said(call), { ...NOTHING, end: "complete", streamed: false, responseId: null, served: null });
});
