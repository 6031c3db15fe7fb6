import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { openGateway, SECRET, testProvider } from "./testing/open-gateway.ts";
import { RawClient } from "./testing/raw-client.ts";
import { startRawUpstream } from "./testing/raw-upstream.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

test("a request goes on with its headers and query, without the client's credentials and hop-by-hop headers", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(OK));
  const provider = testProvider(upstream.url, { headers: [["X-Title", "ours"], ["anthropic-version", "2023-06-01"]], credential: () => ["x-api-key", SECRET] });
  await using open = await openGateway([provider]);
  const client = new RawClient(open.port);
  client.send(`${open.path}/messages?beta=true`, '{"model":"m1"}', {
    Authorization: "Bearer of-the-client", "X-Api-Key": "of-the-client", Cookie: "a=b", "Proxy-Authorization": "Basic x", Connection: "keep-alive, X-Private", "X-Private": "1", "Keep-Alive": "timeout=5", TE: "trailers",
    "X-Title": "theirs", "anthropic-beta": "one,two", "Accept-Encoding": "gzip, br", "User-Agent": "Client/1.0", "X-Session-Id": "ä",
  });
  await client.response();
  const request = await upstream.nextRequest();
  assert.equal(request.start, "POST /v1/messages?beta=true HTTP/1.1");
  assert.deepEqual(Object.fromEntries(request.headers), {
    host: `127.0.0.1:${upstream.port}`, connection: "keep-alive", "content-type": "application/json", "anthropic-beta": "one,two", "accept-encoding": "gzip, br", "user-agent": "Client/1.0",
    "x-session-id": Buffer.from("ä").toString("latin1"), "x-title": "ours", "anthropic-version": "2023-06-01", "x-api-key": SECRET, "content-length": "14",
  });
  // The trace has the head as the client sent it; its credentials are masked by the trace's own writer.
  const { head, routes } = await open.trace.ended(0);
  assert.deepEqual({ method: head.method, target: head.target, protocol: head.protocol }, { method: "POST", target: "/s/***/v1/messages?beta=true", protocol: "messages" });
  assert.deepEqual(head.headers.find(([name]) => name === "X-Title"), ["X-Title", "theirs"]);
  assert.deepEqual(routes, [{ provider: "up", upstream: `${upstream.url}/messages`, model: "m1" }]);
  client.close();
});

test("a response comes back with its status, reason and headers, without cookies and hop-by-hop headers", async () => {
  await using upstream = await startRawUpstream((socket) =>
    void socket.write("HTTP/1.1 418 Short And Stout\r\nX-Request-Id: r1\r\nSet-Cookie: a=b\r\nX-Twice: 1\r\nX-Twice: 2\r\nConnection: X-Inner\r\nX-Inner: 1\r\nKeep-Alive: timeout=9\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"));
  await using open = await openGateway([testProvider(upstream.url)]);
  const client = new RawClient(open.port);
  client.send(`${open.path}/chat/completions`, '{"model":"m1"}');
  const response = await client.response();
  assert.equal(response.start, "HTTP/1.1 418 Short And Stout");
  assert.deepEqual(response.headers, [
    ["x-request-id", "r1"], ["x-twice", "1"], ["x-twice", "2"], ["content-encoding", "gzip"], ["content-length", "3"], ["connection", "keep-alive"], ["keep-alive", "timeout=120"],
  ]);
  assert.equal(response.body.toString(), "abc");
  const call = await open.trace.ended(0);
  assert.deepEqual([call.end, call.status, call.responseHeaders.length], ["complete", 418, 9]);
  client.close();
});

test("a reason phrase that HTTP does not allow is left out, and the answer is whole", async () => {
  for (const [sent, shown] of [["\u00ff\u0080", ""], ["a\u0001\u001b[31mb", ""], ["Fine \u00e9", ""], ["Fine", "Fine"]] as const) {
    await using upstream = await startRawUpstream((socket) => void socket.write(Buffer.from(`HTTP/1.1 200 ${sent}\r\ncontent-length: 2\r\n\r\n{}`, "latin1")));
    await using open = await openGateway([testProvider(upstream.url)]);
    const client = new RawClient(open.port);
    client.send(`${open.path}/chat/completions`, '{"model":"m1"}');
    const { start, body } = await client.response();
    assert.deepEqual([start.trimEnd(), body.toString()], [`HTTP/1.1 200 ${shown}`.trimEnd(), "{}"]);
    assert.equal((await open.trace.ended(0)).end, "complete");
    client.close();
  }
});

test("a provider that echoes its key in a header tells it neither to the client nor to the trace", async () => {
  for (const credential of [["authorization", `Bearer ${SECRET}`], ["x-api-key", SECRET]] as const) {
    await using upstream = await startRawUpstream((socket) => void socket.write(`HTTP/1.1 200 OK\r\nx-seen: Bearer ${SECRET}; q=1\r\nlocation: http://elsewhere/?key=${SECRET}\r\ncontent-length: 2\r\n\r\n{}`));
    await using open = await openGateway([testProvider(upstream.url, { credential: () => credential })]);
    const { headers } = await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}', redirect: "manual" });
    const masked = "*".repeat(SECRET.length);
    assert.deepEqual([headers.get("x-seen"), headers.get("location")], [`Bearer ${masked}; q=1`, `http://elsewhere/?key=${masked}`]);
    assert.equal(JSON.stringify((await open.trace.ended(0)).responseHeaders).includes(SECRET), false);
  }
});

for (const [status, reason] of [[401, "Unauthorized"], [429, "Too Many Requests"], [500, "Internal Server Error"]] as const) {
  test(`an upstream's ${status} passes as it is, once`, async () => {
    const body = `{"error":{"message":"from upstream ${status}"}}`;
    await using upstream = await startRawUpstream((socket) => void socket.write(`HTTP/1.1 ${status} ${reason}\r\nretry-after: 7\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
    await using open = await openGateway([testProvider(upstream.url)]);
    const response = await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}' });
    assert.deepEqual([response.status, response.headers.get("retry-after"), await response.text()], [status, "7", body]);
    const call = await open.trace.ended(0);
    assert.deepEqual([call.end, call.status, upstream.requests.length], ["complete", status, 1]);
  });
}

test("chunks reach the client as they come", async () => {
  let next = () => {};
  await using upstream = await startRawUpstream(async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    for (const piece of ["one", "two", "six"]) {
      await new Promise<void>((resolve) => (next = resolve));
      socket.write(`3\r\n${piece}\r\n`);
    }
    socket.write("0\r\n\r\n");
  });
  await using open = await openGateway([testProvider(upstream.url)]);
  const response = await fetch(`${open.base}/responses`, { method: "POST", body: '{"model":"m1"}' });
  // The head is here before the first chunk was sent, and each chunk before the next one is.
  const reader = response.body!.getReader();
  const seen: string[] = [];
  for (let count = 0; count < 3; count++) {
    next();
    seen.push(Buffer.from((await reader.read()).value!).toString());
  }
  assert.deepEqual([seen, (await reader.read()).done], [["one", "two", "six"], true]);
});

test("a client that reads slowly holds the upstream back, and loses nothing", async () => {
  const size = 48 * 1024 * 1024;
  const piece = Buffer.alloc(64 * 1024, "x");
  let written = 0;
  await using upstream = await startRawUpstream(async (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    while (written < size) {
      written += piece.length;
      if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve));
    }
  });
  await using open = await openGateway([testProvider(upstream.url)]);
  const bytes = await new Promise<number>((resolve, reject) => {
    httpRequest(`${open.base}/responses`, { method: "POST" }, async (response) => {
      // Not read at all: what is under way fits in socket buffers, and stops there.
      let before = -1;
      while (before !== written) {
        before = written;
        await sleep(50);
      }
      assert.ok(written < size / 2, `${written} of ${size} bytes were taken although nobody read`);
      let total = 0;
      response.on("data", (chunk: Buffer) => (total += chunk.length)).on("end", () => resolve(total)).on("error", reject);
    }).on("error", reject).end('{"model":"m1"}');
  });
  assert.equal(bytes, size);
  assert.equal((await open.trace.ended(0)).response.length, size);
});

test("an upstream that can't be reached is a 502 in the protocol's shape, recorded as refused", async () => {
  await using open = await openGateway([testProvider("http://127.0.0.1:9/v1")]);
  const response = await fetch(`${open.base}/messages`, { method: "POST", body: '{"model":"m1"}' });
  const message = "up (http://127.0.0.1:9/v1/messages) gave no answer: connection refused";
  assert.deepEqual([response.status, await response.json()], [502, { type: "error", error: { type: "api_error", message } }]);
  const call = await open.trace.ended(0);
  assert.deepEqual([call.end, call.error, call.status, call.routes.length], ["refused", message, 502, 1]);
  assert.deepEqual(open.log, [`ses_test: ${message}`]);
});

test("an upstream that closes without an answer is a 502, and the request was sent once", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.destroy());
  await using open = await openGateway([testProvider(upstream.url)]);
  const response = await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}' });
  assert.deepEqual([response.status, upstream.requests.length, (await open.trace.ended(0)).end], [502, 1, "refused"]);
});

test("an upstream that says nothing within the time for a head is a 502", async () => {
  await using upstream = await startRawUpstream(() => {});
  await using open = await openGateway([testProvider(upstream.url)], { timeouts: { head: 50 } });
  const response = await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}' });
  assert.equal(((await response.json()) as { error: { message: string } }).error.message, `up (${upstream.url}/chat/completions) gave no answer: no answer within 0.05 s`);
  await upstream.nextDisconnect();
});

test("an upstream that cuts a stream is never a clean end at the client", async () => {
  for (const head of ["transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "content-length: 500\r\n\r\nhello"]) {
    await using upstream = await startRawUpstream((socket) => void socket.end(`HTTP/1.1 200 OK\r\n${head}`));
    await using open = await openGateway([testProvider(upstream.url)]);
    const client = new RawClient(open.port);
    client.send(`${open.path}/responses`, '{"model":"m1"}');
    const response = await client.response();
    assert.deepEqual([response.whole, response.body.toString(), client.socket.closed], [false, "hello", true]);
    const call = await open.trace.ended(0);
    assert.deepEqual([call.end, call.error, call.response.toString()], ["cut", "the connection was closed before the answer was whole", "hello"]);
  }
});

test("a kept connection that the upstream closes under the request is replaced by a fresh one, once", async () => {
  await using upstream = await startRawUpstream((socket, _request, index) => {
    // The second request meets a connection that dies before a byte of the answer.
    if (index === 1) socket.destroy();
    else socket.write(OK);
  });
  await using open = await openGateway([testProvider(upstream.url)]);
  for (const expected of [200, 200]) {
    const response = await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}' });
    assert.equal(response.status, expected);
    await response.text();
  }
  assert.deepEqual([upstream.connections(), upstream.requests.length], [2, 3]);
  const call = await open.trace.ended(1);
  assert.deepEqual([call.end, call.routes.length], ["complete", 2]);
});

test("nothing is sent again once a byte of an answer came", async () => {
  await using upstream = await startRawUpstream((socket, _request, index) => {
    if (index === 1) socket.end("HTTP/1.1 20");
    else socket.write(OK);
  });
  await using open = await openGateway([testProvider(upstream.url)]);
  const ask = async () => (await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}' })).status;
  assert.deepEqual([await ask(), await ask(), upstream.requests.length], [200, 502, 2]);
});

test("connections to the upstream are kept and used again", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(OK));
  await using open = await openGateway([testProvider(upstream.url)]);
  for (let count = 0; count < 5; count++) await (await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"m1"}' })).text();
  assert.deepEqual([upstream.connections(), upstream.requests.length], [1, 5]);
});

test("a body of 20 MB passes whole, with its model at the end", async () => {
  const body = Buffer.from(`{"messages":[{"role":"user","content":"${"äbc \\n 世界 ".repeat(1_400_000)}"}],"model":"m1"}`);
  assert.ok(body.length > 20_000_000);
  await using upstream = await startRawUpstream((socket) => void socket.write(OK));
  await using open = await openGateway([testProvider(upstream.url)]);
  const response = await fetch(`${open.base}/responses`, { method: "POST", body });
  assert.equal(response.status, 200);
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  assert.deepEqual([digest(upstream.requests[0]!.body), digest((await open.trace.ended(0)).request)], [digest(body), digest(body)]);
});

test("a body over the limit is a 413, announced or not, and the client sees it", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(OK));
  await using open = await openGateway([testProvider(upstream.url)], { bodyLimit: 1000 });
  const body = `{"model":"m1","x":"${"x".repeat(500_000)}"}`;
  const expected = { type: "error", error: { type: "request_too_large", message: "the request body is larger than 1000 bytes" } };
  const announced = await fetch(`${open.base}/messages`, { method: "POST", body });
  assert.deepEqual([announced.status, await announced.json()], [413, expected]);
  const streamed = await fetch(`${open.base}/messages`, { method: "POST", body: new Blob([body]).stream(), duplex: "half" } as RequestInit);
  assert.deepEqual([streamed.status, await streamed.json()], [413, expected]);
  assert.deepEqual([(await open.trace.ended(0)).end, (await open.trace.ended(1)).end, upstream.connections()], ["refused", "refused", 0]);
});

test("a compressed request is looked into and passed on as it came", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(OK));
  await using open = await openGateway([testProvider(upstream.url)], { bodyLimit: 100_000 });
  const send = async (body: Buffer<ArrayBuffer>, coding: string) => {
    const response = await fetch(`${open.base}/responses`, { method: "POST", body, headers: { "content-encoding": coding } });
    await response.text();
    return response.status;
  };
  const json = Buffer.from('{"model":"m1"}');
  assert.deepEqual([await send(gzipSync(json), "gzip"), await send(zstdCompressSync(json), "zstd")], [200, 200]);
  assert.deepEqual(upstream.requests.map(({ body }) => body), [gzipSync(json), zstdCompressSync(json)]);
  const bomb = gzipSync(Buffer.alloc(1_000_000, " "));
  assert.deepEqual([await send(bomb, "gzip"), await send(json, "gzip"), await send(json, "lzma")], [413, 400, 415]);
  assert.equal(upstream.requests.length, 2);
});
