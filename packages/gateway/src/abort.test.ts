import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fauxProvider, type FauxDisconnect } from "./faux/provider.ts";
import { openGateway, testProvider } from "./testing/open-gateway.ts";
import { RawClient } from "./testing/raw-client.ts";
import { startRawUpstream, waitlist } from "./testing/raw-upstream.ts";

const LIMIT_MS = 1000;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const CHUNK = "7\r\ndata: 1\r\n";
const STREAMED = '{"model":"m1","stream":true}';
const WHOLE = '{"model":"m1"}';

/** The three moments at which a client may leave, each with what the upstream has sent by then. */
const MOMENTS = [
  { name: "before the first byte", body: STREAMED, sends: "", shown: "" },
  { name: "in the stream", body: STREAMED, sends: HEAD + CHUNK, shown: "data: 1" },
  { name: "while a whole message is awaited", body: WHOLE, sends: "", shown: "" },
  { name: "in a whole message", body: WHOLE, sends: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"half\":", shown: '{"half":' },
] as const;

for (const moment of MOMENTS) {
  test(`a client that leaves ${moment.name} closes the upstream's connection within a second`, async () => {
    await using upstream = await startRawUpstream((socket, _request, index) => void socket.write(index === 0 ? "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}" : moment.sends));
    await using open = await openGateway([testProvider(upstream.url)]);
    // The first call is answered, so that the second one runs on a connection that was kept.
    await (await fetch(`${open.base}/chat/completions`, { method: "POST", body: WHOLE })).text();
    await upstream.nextRequest();
    for (const number of [1, 2]) {
      const client = new RawClient(open.port);
      client.send(`${open.path}/chat/completions`, moment.body);
      await upstream.nextRequest();
      if (moment.shown !== "") await client.until((received) => received.includes(moment.shown));
      const left = performance.now();
      client.close();
      const seen = await upstream.nextDisconnect();
      assert.ok(seen - left < LIMIT_MS, `${seen - left} ms`);
      const call = await open.trace.ended(number);
      assert.deepEqual(
        { end: call.end, error: call.error, response: call.response.toString(), request: call.request.toString() },
        { end: "aborted", error: "the client went away", response: moment.shown, request: moment.body },
      );
      // The first abort took the kept connection, the second one a connection of its own.
      assert.equal(upstream.connections(), number);
    }
  });
}

test("control: a gateway that does not pass the client's going on is caught by the same check", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(HEAD + CHUNK));
  // A provider whose run ignores abort(): what the gateway does with it can't reach the socket.
  const { httpUpstream } = await import("./http-upstream.ts");
  const http = httpUpstream(upstream.url, { connect: 1000, head: 10_000, idle: 10_000 });
  const deaf = testProvider(upstream.url, { serve: (request, sink) => ({ ...http.send(request, sink), resume: () => {}, abort: () => {} }) });
  await using open = await openGateway([deaf]);
  const client = new RawClient(open.port);
  client.send(`${open.path}/chat/completions`, STREAMED);
  await upstream.nextRequest();
  client.close();
  await open.trace.ended(0);
  assert.equal(await Promise.race([upstream.nextDisconnect().then(() => "closed"), sleep(LIMIT_MS, "still open")]), "still open");
  http.destroy();
});

test("a client that leaves while the upstream's connection is being made is recorded as aborted, and nothing is sent", async () => {
  await using upstream = await startRawUpstream(() => {});
  // TLS against a plain listener: the connection is accepted and never becomes usable.
  await using open = await openGateway([testProvider(`https://127.0.0.1:${upstream.port}/v1`)]);
  const client = new RawClient(open.port);
  client.send(`${open.path}/chat/completions`, WHOLE);
  while (open.trace.calls[0]?.routes.length !== 1) await sleep(5);
  client.close();
  assert.deepEqual([(await open.trace.ended(0)).end, upstream.requests.length], ["aborted", 0]);
});

test("a client that leaves in the middle of its own request is recorded as aborted, and nothing is sent", async () => {
  await using upstream = await startRawUpstream(() => {});
  await using open = await openGateway([testProvider(upstream.url)]);
  const client = new RawClient(open.port);
  client.socket.write(`POST ${open.path}/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{"model":"m1"`);
  while (open.trace.calls.length === 0) await sleep(5);
  await sleep(20);
  client.close();
  const call = await open.trace.ended(0);
  assert.deepEqual([call.end, call.request.toString(), call.requestWhole, upstream.connections()], ["aborted", '{"model":"m1"', false, 0]);
});

test("a client that leaves while the end is being written to the trace changes nothing and breaks nothing", async () => {
  for (const answer of ["content-length: 2\r\n\r\n{}", "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"]) {
    await using upstream = await startRawUpstream((socket) => void socket.write(`HTTP/1.1 200 OK\r\n${answer}`));
    await using open = await openGateway([testProvider(upstream.url)]);
    const [ending, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begin = open.trace.begin.bind(open.trace);
    open.trace.begin = (head) => {
      const recorder = begin(head);
      return { ...recorder, end: async (reason, error) => {
        ending.resolve();
        await release.promise;
        await recorder.end(reason, error);
      } };
    };
    const client = new RawClient(open.port);
    client.send(`${open.path}/chat/completions`, WHOLE);
    await ending.promise;
    // The client has not seen the end: of a body of known length, not even its last byte.
    assert.equal((await Promise.race([client.response(), sleep(30, { whole: false })])).whole, false);
    client.close();
    await once(client.socket, "close");
    await sleep(20);
    release.resolve();
    assert.deepEqual([(await open.trace.ended(0)).end, open.trace.calls[0]!.response.toString()], ["complete", "{}"]);
    assert.equal((await fetch(`${open.base}/models`)).status, 200);
  }
});

test("an abort closes its own connection and no other", async () => {
  const sockets: Socket[] = [];
  await using upstream = await startRawUpstream((socket) => {
    sockets.push(socket);
    socket.write(HEAD + CHUNK);
  });
  await using open = await openGateway([testProvider(upstream.url)]);
  const [leaver, stayer] = [new RawClient(open.port), new RawClient(open.port)];
  stayer.send(`${open.path}/chat/completions`, STREAMED);
  await upstream.nextRequest();
  leaver.send(`${open.path}/chat/completions`, STREAMED);
  await upstream.nextRequest();
  leaver.close();
  await upstream.nextDisconnect();
  sockets[0]!.write("7\r\ndata: 2\r\n0\r\n\r\n");
  const response = await stayer.response();
  assert.deepEqual([response.whole, response.body.toString()], [true, "data: 1data: 2"]);
  stayer.close();
});

test("revoking a principal aborts its calls and no other's", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(HEAD + CHUNK));
  await using open = await openGateway([testProvider(upstream.url)]);
  const client = new RawClient(open.port);
  client.send(`${open.path}/chat/completions`, STREAMED);
  await client.until((received) => received.includes("data: 1"));
  const closed = once(client.socket, "close");
  await open.principal.revoke();
  // Its end is in the trace when revoke() resolves: the owner may close the trace now.
  const call = open.trace.calls[0]!;
  assert.deepEqual([call.end, call.error], ["aborted", "the session was closed"]);
  await Promise.all([closed, upstream.nextDisconnect()]);
  assert.equal((await fetch(`${open.base}/models`)).status, 401);
});

test("closing the gateway aborts what runs and leaves no socket", async () => {
  await using upstream = await startRawUpstream((socket) => void socket.write(HEAD + CHUNK));
  const open = await openGateway([testProvider(upstream.url)]);
  const client = new RawClient(open.port);
  client.send(`${open.path}/chat/completions`, STREAMED);
  await client.until((received) => received.includes("data: 1"));
  const closed = once(client.socket, "close");
  await open.gateway.close();
  await Promise.all([closed, upstream.nextDisconnect()]);
  assert.equal(open.trace.calls[0]!.end, "aborted");
});

test("the faux model sees its client leave at each moment", async () => {
  const gone = waitlist<FauxDisconnect>();
  await using open = await openGateway([fauxProvider({ onDisconnect: gone.push })]);
  const cases = [
    { prompt: "[[hang]]", stream: true, shown: "", moment: "before-head" },
    { prompt: "[[slow: 60]] [[text: slowly]]", stream: true, shown: "assistant", moment: "in-body" },
    { prompt: "[[slow: 60]] [[text: slowly]]", stream: false, shown: "", moment: "before-head" },
  ];
  for (const [number, { prompt, stream, shown, moment }] of cases.entries()) {
    const client = new RawClient(open.port);
    client.send(`${open.path}/chat/completions`, JSON.stringify({ model: "demo", stream, messages: [{ role: "user", content: prompt }] }));
    if (shown !== "") await client.until((received) => received.includes(shown));
    else while (open.trace.calls[number]?.routes.length !== 1) await sleep(5);
    const left = performance.now();
    client.close();
    assert.deepEqual(await gone.next(), { caller: "ses_test", moment });
    assert.ok(performance.now() - left < LIMIT_MS);
    assert.equal((await open.trace.ended(number)).end, "aborted");
  }
});
