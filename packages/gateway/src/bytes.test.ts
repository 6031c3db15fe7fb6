import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { openTrace, readBody, readCalls, type OpenTrace, type StoredCall } from "@beeuni/trace";
import { createGateway } from "./gateway.ts";
import { header, type RawMessage } from "./testing/http-bytes.ts";
import { SECRET, testProvider } from "./testing/open-gateway.ts";
import { startRawUpstream, type RawUpstream } from "./testing/raw-upstream.ts";
import { startTcpRecorder, type TcpRecorder } from "./testing/tcp-recorder.ts";
import type { Gateway } from "./types.ts";

/** Text whose characters take one to four bytes, so that a cut at any third byte falls inside some of them. */
const TEXT = "Grüße, 世界! 🙂 ".repeat(4);
const EVENTS = Array.from(TEXT).map((piece, at) => `data: {"id":"c1","choices":[{"index":0,"delta":{"content":${JSON.stringify(piece)}}}],"n":${at}}\n\n`).join("") + "data: [DONE]\n\n";
const TOOL_CALL = `data: {"id":"c0","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"bash","arguments":"{\\"command\\": \\"ls ü\\"}"}}]}}]}\n\ndata: [DONE]\n\n`;
const SSE = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/** One `Transfer-Encoding: chunked` body of chunks of `size` bytes. */
function chunked(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Writes in pieces of `size` bytes, a turn of the loop apart: pieces end inside characters, events and chunk headers. */
async function dribble(socket: Socket, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await nextTurn();
  }
}

/** The calls of a turn with a tool, and some that go wrong: what each is answered with, by the request's number. */
const ANSWERS: ((socket: Socket) => void | Promise<void>)[] = [
  (socket) => dribble(socket, Buffer.concat([Buffer.from(SSE), chunked(Buffer.from(TOOL_CALL), 7)]), 3),
  (socket) => dribble(socket, Buffer.concat([Buffer.from(SSE), chunked(Buffer.from(EVENTS), 11)]), 5),
  (socket) => {
    const body = gzipSync(EVENTS);
    return dribble(socket, Buffer.concat([Buffer.from(`${SSE.slice(0, -2)}content-encoding: gzip\r\n\r\n`), chunked(body, 13)]), 4);
  },
  (socket) => {
    const body = Buffer.from(JSON.stringify({ id: "c3", text: TEXT }, null, 1));
    socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`), body]));
  },
  async (socket) => {
    // Cut inside a chunk, inside a character.
    const bytes = Buffer.concat([Buffer.from(SSE), chunked(Buffer.from(EVENTS), 64)]);
    await dribble(socket, bytes.subarray(0, bytes.indexOf("世") + 2), 9);
    socket.destroy();
  },
  (socket) => void socket.write('HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 1\r\ncontent-length: 16\r\n\r\n{"error": {} }\n\n'),
];

const SPACED = (n: number) => `{\n  "messages": [{"role":"user", "content": "Größe 世界 🙂 \\u00e9 ${n}"}],\t"stream" : true,\n  "model":"m1", "n": ${n}.0 }\n`;
const REQUESTS: { body: Buffer; headers: Record<string, string> }[] = ANSWERS.map((_, n) =>
  // One of them is compressed by the client.
  n === 3 ? { body: gzipSync(SPACED(n)), headers: { "content-encoding": "gzip" } } : { body: Buffer.from(SPACED(n)), headers: {} });

let folder: string;
let trace: OpenTrace;
let upstream: RawUpstream;
let inner: TcpRecorder;
let gateway: Gateway;
let root: URL;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "bytes-"));
  trace = await openTrace(folder);
  upstream = await startRawUpstream((socket, _request, index) => ANSWERS[index % ANSWERS.length]!(socket));
  inner = await startTcpRecorder(upstream.port);
  gateway = await createGateway({ providers: [testProvider(`http://127.0.0.1:${inner.port}/v1`)] });
  root = new URL(gateway.principal({ id: "ses_bytes", models: [{ provider: "up", id: "m1" }], trace }).endpoint.root);
});
after(async () => {
  await gateway.close();
  await trace.close();
  await inner[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const port = () => Number(new URL(gateway.url).port);

/** Sends one request and keeps what came back, with how it ended. */
function ask(to: number, { body, headers }: (typeof REQUESTS)[number]): Promise<{ body: Buffer; whole: boolean }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port: to, method: "POST", path: `${root.pathname}/v1/chat/completions`, headers: { ...headers, "content-type": "application/json", "content-length": body.length } });
    outgoing.on("error", reject).on("response", (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => {}).on("close", () => resolve({ body: Buffer.concat(chunks), whole: response.complete }));
    });
    outgoing.end(body);
  });
}

/** The check: runs all calls through the port `to` and compares what both recorders, the client and the trace have. */
async function checkBytes(to: number): Promise<{ calls: StoredCall[]; responses: Uint8Array[]; inside: RawMessage[] }> {
  await using outer = await startTcpRecorder(to);
  const firstCall = trace.nextNumber;
  const seenInside = inner.requests().length;
  const received: { body: Buffer; whole: boolean }[] = [];
  for (const request of REQUESTS) received.push(await ask(outer.port, request));
  // The trace had each end before the client did: nothing is waited for.
  const calls = (await readCalls(folder, { session: "ses_bytes" })).filter(({ number }) => number >= firstCall);
  const bodies = (side: "request" | "response") => Promise.all(calls.map(({ number }) => readBody(folder, number, side)));
  const [requests, responses] = await Promise.all([bodies("request"), bodies("response")]);
  const sides = {
    sent: REQUESTS.map(({ body }) => digest(body)),
    outerRequest: outer.requests().map(({ body }) => digest(body)),
    traceRequest: requests.map(digest),
    innerRequest: inner.requests().slice(seenInside).map(({ body }) => digest(body)),
    innerResponse: inner.responses().slice(seenInside).map(({ body }) => digest(body)),
    traceResponse: responses.map(digest),
    outerResponse: outer.responses().map(({ body }) => digest(body)),
    received: received.map(({ body }) => digest(body)),
  };
  assert.deepEqual(sides.outerRequest, sides.sent, "client → recorder");
  assert.deepEqual(sides.traceRequest, sides.sent, "the trace's request");
  assert.deepEqual(sides.innerRequest, sides.sent, "gateway → upstream");
  assert.deepEqual(sides.traceResponse, sides.innerResponse, "the trace's response");
  assert.deepEqual(sides.outerResponse, sides.innerResponse, "gateway → client");
  assert.deepEqual(sides.received, sides.innerResponse, "what the client kept");
  assert.deepEqual(received.map(({ whole }) => whole), outer.responses().map(({ whole }) => whole));
  return { calls, responses, inside: inner.requests().slice(seenInside) };
}

test("bodies are the same bytes on both sides of the gateway, at the client and in the trace", async () => {
  const { calls, responses, inside } = await checkBytes(port());
  assert.deepEqual(calls.map(({ end, status, error }) => ({ end, status, error })), [
    { end: "complete", status: 200, error: null },
    { end: "complete", status: 200, error: null },
    { end: "complete", status: 200, error: null },
    { end: "complete", status: 200, error: null },
    { end: "cut", status: 200, error: "the connection was closed before the answer was whole" },
    { end: "complete", status: 429, error: '{"error": {} }' },
  ]);
  // The recorders saw real content, and the trace is what they saw, not an empty agreement.
  assert.equal(Buffer.from(responses[1]!).toString(), EVENTS);
  assert.equal(gunzipSync(responses[2]!).toString(), EVENTS);
  assert.equal(responses[4]!.at(-1), Buffer.from("世")[1], "cut inside a character");
  assert.deepEqual(inside.map((message) => header(message, "authorization")), REQUESTS.map(() => `Bearer ${SECRET}`));
});

/** A proxy in front of the gateway that parses the JSON of one direction and writes it anew: equal as JSON, not as bytes. */
async function startRewriter(direction: "request" | "response"): Promise<AsyncDisposable & { port: number }> {
  const rewrite = (body: Buffer, message: IncomingMessage) =>
    message.headers["content-type"] === "application/json" && message.headers["content-encoding"] === undefined ? Buffer.from(JSON.stringify(JSON.parse(body.toString()))) : body;
  const read = async (message: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  const proxy = createServer(async (request, response) => {
    const received = await read(request);
    const body = direction === "request" ? rewrite(received, request) : received;
    const outgoing = httpRequest({ port: port(), method: "POST", path: request.url, headers: { ...request.headers, "content-length": body.length } }, async (answer) => {
      const { "content-length": _length, "transfer-encoding": _coding, ...headers } = answer.headers;
      response.writeHead(answer.statusCode!, headers);
      if (direction === "request" || answer.headers["content-type"] !== "application/json") answer.on("error", () => response.destroy()).pipe(response);
      else read(answer).then((whole) => response.end(rewrite(whole, answer)), () => response.destroy());
    });
    outgoing.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => {
      proxy.close(() => resolve());
      proxy.closeAllConnections();
    }),
  };
}

for (const [direction, fails] of [["request", /the trace's request/], ["response", /gateway → client/]] as const) {
  test(`control: with a proxy that writes each JSON ${direction} anew the same check fails`, async () => {
    await using proxy = await startRewriter(direction);
    await assert.rejects(checkBytes(proxy.port), fails);
  });
}
