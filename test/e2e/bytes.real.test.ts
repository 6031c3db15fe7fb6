import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Call } from "@beeuni/protocol";
import { startRawUpstream, startTcpRecorder } from "@beeuni/gateway/testing";
import { beeuni, beeuniJson } from "./support/cli.ts";
import { openInProcess } from "./support/daemon.ts";
import { Place } from "./support/place.ts";
import { chunked, dribble, streamHead, textEvents, toolEvents, wholeAnswer } from "./support/raw-answers.ts";
import { conversation, turn } from "./support/session.ts";

/** Characters of one to four bytes: a cut at any third byte falls inside some of them. */
const TEXT = "Grüße, 世界! 🙂 ".repeat(3);

/** The model calls of one turn: two tools, an answer that is cut, a refusal, and the text. */
const ANSWERS: ((socket: Socket) => void | Promise<void>)[] = [
  (socket) => dribble(socket, Buffer.concat([streamHead(), chunked(Buffer.from(toolEvents("r0", "call_a", "bash", { command: "echo 'ü 世 🙂' | tee a.txt" })), 7)]), 3),
  (socket) => dribble(socket, Buffer.concat([streamHead("content-encoding: gzip"), chunked(gzipSync(toolEvents("r1", "call_b", "write", { path: "b.txt", content: TEXT })), 13)]), 4),
  async (socket) => {
    // Cut inside a chunk, inside a character.
    const bytes = Buffer.concat([streamHead(), chunked(Buffer.from(textEvents("r2", TEXT)), 64)]);
    await dribble(socket, bytes.subarray(0, bytes.indexOf("世") + 2), 9);
    socket.destroy();
  },
  (socket) => void socket.write(wholeAnswer("429 Too Many Requests", '{"error": {"message": "größer als erlaubt"} }\n', "retry-after: 0")),
  (socket) => dribble(socket, Buffer.concat([streamHead(), chunked(Buffer.from(textEvents("r4", TEXT)), 11)]), 5),
];

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * The check: one turn on the real harness, with a recorder in a process of its own on each side of the gateway.
 * `between` answers the port behind the outer recorder; the gateway's own when left out.
 */
async function checkBytes(between: (gatewayPort: number) => Promise<number> = async (port) => port): Promise<void> {
  using place = new Place();
  await using upstream = await startRawUpstream((socket, _request, index) => ANSWERS[index]?.(socket));
  await using inner = await startTcpRecorder(upstream.port);
  place.configure({ up: { baseUrl: `http://127.0.0.1:${inner.port}/v1`, models: ["demo"] } });
  const stack = new AsyncDisposableStack();
  await using _ = stack;
  let outer: Awaited<ReturnType<typeof startTcpRecorder>> | undefined;
  let session = "";
  {
    await using open = await openInProcess(place, {
      gateway: async (real) => {
        outer = stack.use(await startTcpRecorder(await between(Number(new URL(real.url).port))));
        return { ...real, principal: (spec) => {
          const { endpoint, ...principal } = real.principal(spec);
          return { ...principal, endpoint: { ...endpoint, root: endpoint.root.replace(/:\d+/, `:${outer!.port}`) } };
        } };
      },
    });
    session = (await open.client.sessions.create()).id;
    const { outcome } = await turn(open.client, session, "Write both files.");
    const lines = conversation(await open.client.sessions.state(session));
    // What the client received was whole text again, whatever the pieces were.
    assert.deepEqual([outcome, ...lines.filter((line) => !line.startsWith("assistant: Grüße, "))], ["completed", "user: Write both files.", "bash completed: ü 世 🙂", `write completed: Created b.txt (${Buffer.byteLength(TEXT)} bytes).`]);
    assert.equal(lines.at(-1), `assistant: ${TEXT}`);
  }
  const [sent, received] = [outer!.requests(), outer!.responses()];
  const [forwarded, answered] = [inner.requests(), inner.responses()];
  assert.equal(sent.length, ANSWERS.length);
  assert.deepEqual(sent.map(({ body }) => digest(body)), forwarded.map(({ body }) => digest(body)), "the harness's requests and what the provider got");
  assert.deepEqual(received.map(({ body }) => digest(body)), answered.map(({ body }) => digest(body)), "the provider's answers and what the harness got");

  const calls = await beeuniJson<Call[]>(place, ["call", "ls", session]);
  assert.deepEqual(calls.map(({ status, end }) => `${status} ${end}`), ["200 complete", "200 complete", "200 cut", "429 complete", "200 complete"]);
  const printed = async (side: "request" | "response"): Promise<string[]> =>
    Promise.all(calls.map(async ({ id }) => digest((await beeuni(place, ["call", "show", id, `--${side}`, "--raw"])).bytes)));
  assert.deepEqual(await printed("request"), sent.map(({ body }) => digest(body)), "the requests as `call show --raw` prints them");
  assert.deepEqual(await printed("response"), received.map(({ body }) => digest(body)), "the answers as `call show --raw` prints them");
  assert.deepEqual(calls.map(({ request, response }) => [request.sha256, response.sha256]), sent.map(({ body }, at) => [digest(body), digest(received[at]!.body)]));
  // The recorders saw what was meant: a cut inside a character, a gzip body.
  assert.equal(received[2]!.body.at(-1), Buffer.from("世")[1]);
  assert.equal(calls[1]!.response.encoding, "gzip");
}

test("a turn with tools on the real harness: both sides of the gateway and `call show --raw` have the same bytes", () => checkBytes());

for (const [direction, fails] of [["request", /what the provider got/], ["response", /what the harness got/]] as const) {
  test(`control: with a proxy that writes each ${direction} anew, equal as JSON, the check fails`, async () => {
    await using stack = new AsyncDisposableStack();
    await assert.rejects(checkBytes(async (port) => {
      const proxy = stack.use(await startRewriter(port, direction));
      return proxy.port;
    }), fails);
  });
}

/** Puts a blank in front of some members of the JSON of one direction. */
async function startRewriter(target: number, direction: "request" | "response"): Promise<AsyncDisposable & { port: number }> {
  const spaced = (bytes: Buffer): Buffer => Buffer.from(bytes.toString("latin1").replace(/,"(messages|finish_reason)":/g, ', "$1":'), "latin1");
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = direction === "request" ? spaced(Buffer.concat(chunks)) : Buffer.concat(chunks);
    const outgoing = httpRequest({ port: target, method: "POST", path: request.url, headers: { ...request.headers, "content-length": body.length } }, async (answer) => {
      const { "content-length": _length, "transfer-encoding": _coding, ...headers } = answer.headers;
      response.writeHead(answer.statusCode!, headers);
      const rewrites = direction === "response" && headers["content-encoding"] === undefined;
      answer.on("data", (chunk: Buffer) => response.write(rewrites ? spaced(chunk) : chunk)).on("end", () => response.end()).on("error", () => response.destroy());
    });
    outgoing.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}
