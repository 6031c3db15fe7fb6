import { createClient, type StreamItem } from "@beeuni/sdk";
import type { LogEvent, PartDelta } from "@beeuni/transcript";
import { logEvents, sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { readMessages } from "./connection.ts";
import { answer, ScriptedServer } from "./scripted-server.ts";

let server: ScriptedServer;
beforeEach(async () => { server = await ScriptedServer.start(); });
afterEach(() => server.close());

const events: LogEvent[] = logEvents([
  { type: "session.created", session: "ses_root", format: "beeuni.transcript.v1", info: sampleInfo() },
  { type: "message.created", session: "ses_root", message: { id: "msg_1", session: "ses_root", role: "assistant", turn: "trn_1", at: 1, agent: "build", model: { provider: "faux", id: "demo" } } },
  { type: "part.updated", session: "ses_root", part: { id: "prt_1", session: "ses_root", message: "msg_1", type: "text", text: "", startedAt: 1 } },
]);
const delta = (offset: number, text: string): PartDelta => ({ type: "part.delta", session: "ses_root", part: "prt_1", offset, delta: text });
const snapshot = (text: string): LogEvent => ({ seq: 0, at: 0, type: "part.snapshot", session: "ses_root", part: "prt_1", text });
const client = () => createClient({ url: server.url, token: server.token });

/** Items until one fits. */
async function take(stream: AsyncIterable<StreamItem>, isLast: (item: StreamItem) => boolean): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const item of stream) {
    items.push(item);
    if (isLast(item)) break;
  }
  return items;
}

test("[H-034] hello, the log's events with their cursors, parts in flight, then deltas as they come", async () => {
  for (const event of events) server.push(event);
  server.push(delta(0, "Zoë 🐝"));
  const items = take(client().events({ session: "ses_root" }), (item) => item.kind === "delta" && item.event.delta === "!");
  await server.connected();
  server.push(delta(6, "!"));
  server.release();
  assert.deepEqual(await items, [
    { kind: "hello", epoch: "e1", head: 3, session: "ses_root" },
    { kind: "event", event: events[0], id: "e1:1" },
    { kind: "event", event: events[1], id: "e1:2" },
    { kind: "event", event: events[2], id: "e1:3" },
    { kind: "event", event: snapshot("Zoë 🐝") },
    { kind: "delta", event: delta(0, "Zoë 🐝") },
    { kind: "delta", event: delta(6, "!") },
  ]);
});

test("a known cursor of an earlier opening is replayed from; an unknown one gets the state", async () => {
  for (const event of events) server.push(event);
  server.restart(true);
  const replayed = await take(client().events({ session: "ses_root", lastEventId: "e1:2" }), (item) => item.kind === "event" && item.event.seq === 3);
  assert.deepEqual(replayed.map(({ kind }) => kind), ["hello", "event"]);
  server.restart(false);
  const [, resync] = await take(client().events({ session: "ses_root", lastEventId: "e1:2" }), (item) => item.kind === "resync");
  assert.deepEqual(resync, { kind: "resync", epoch: server.epoch, seq: 3, state: JSON.parse(JSON.stringify(server.tree)), id: `${server.epoch}:3` });
});

test("the cursor follows what was taken: reconnecting on an item brings that item again", async () => {
  for (const event of events) server.push(event);
  const stream = client().events({ session: "ses_root" });
  const numbers: number[] = [];
  for await (const item of stream) {
    if (item.kind !== "event" || item.event.seq === 0) continue;
    numbers.push(item.event.seq);
    if (numbers.length === 2) stream.reconnect();
    if (item.event.seq === 3) break;
  }
  assert.deepEqual(numbers, [1, 2, 2, 3]);
  assert.deepEqual(server.cursors, [null, "e1:1"]);
  assert.equal(stream.lastEventId, "e1:2");
});

test("what no new attempt would change is thrown; a server that is away is asked again, as often as wanted", async () => {
  await assert.rejects(take(createClient({ url: server.url, token: "wrong" }).events({ session: "ses_root" }), () => true), { code: "unauthorized" });
  let asked = 0;
  server.intercept = (_, response) => {
    asked += 1;
    answer(response, 404, { code: "session_not_found", error: "no session ses_x" });
    return true;
  };
  await assert.rejects(take(client().events({ session: "ses_x" }), () => true), { code: "session_not_found", message: "no session ses_x" });
  assert.equal(asked, 1);
  server.intercept = (_, response) => {
    asked += 1;
    response.destroy();
    return true;
  };
  await assert.rejects(take(client().events({ session: "ses_root", maxRetries: 1 }), () => true), { code: "no_server" });
  assert.equal(asked, 3);
});

test("a log that can't be written any more ends the stream with the server's error, after what came before", async () => {
  server.intercept = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    server.send(response, "session.created", events[0], "e1:1");
    server.send(response, "failed", { code: "storage_failed", error: "no space is left", hint: "free some" });
    return true;
  };
  const kinds: string[] = [];
  const stream = client().events({ session: "ses_root" });
  await assert.rejects(async () => { for await (const { kind } of stream) kinds.push(kind); }, { code: "storage_failed", message: "no space is left", hint: "free some" });
  assert.deepEqual(kinds, ["event"]);
});

test("frames of a later version are passed over; an event of an unknown type keeps its cursor; a malformed one is an error", async () => {
  server.intercept = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    server.send(response, "weather", { sky: "blue" });
    server.send(response, "part.painted", { seq: 1, at: 1, type: "part.painted", session: "ses_root" }, "e1:1");
    server.send(response, "message.removed", { seq: 2, at: 1, type: "message.removed", session: "ses_root" }, "e1:2");
    return true;
  };
  const stream = client().events({ session: "ses_root" });
  const items: StreamItem[] = [];
  await assert.rejects(async () => { for await (const item of stream) items.push(item); }, { code: "internal", message: "the event stream holds a malformed frame" });
  assert.deepEqual(items, [{ kind: "event", event: { seq: 1, at: 1, type: "part.painted", session: "ses_root" }, id: "e1:1" }]);
});

test("the signal ends the iteration, while a connection is open and while none is", async () => {
  const open = new AbortController();
  const kinds: string[] = [];
  for await (const { kind } of client().events({ session: "ses_root", signal: open.signal })) {
    kinds.push(kind);
    setImmediate(() => open.abort());
  }
  assert.deepEqual(kinds, ["hello"]);
  assert.deepEqual(await take(client().events({ session: "ses_root", signal: AbortSignal.abort() }), () => false), []);
  for await (const state of client().watch("ses_root", { signal: AbortSignal.abort() })) assert.fail(`an aborted watch gave ${JSON.stringify(state)}`);
});

test("a connection that stays silent is given up, characters may be split between chunks", async () => {
  const bytes = new TextEncoder().encode("retry: 70\n\nevent: a\nid: e1:1\ndata: é🐝\n\n");
  const body = new ReadableStream<Uint8Array>({ start: (controller) => { for (const byte of bytes) controller.enqueue(Uint8Array.of(byte)); } });
  const retries: number[] = [];
  const messages = [];
  for await (const batch of readMessages(body, (milliseconds) => retries.push(milliseconds), 30)) messages.push(...batch);
  assert.deepEqual([messages, retries], [[{ event: "a", id: "e1:1", data: "é🐝" }], [70]]);
});

test("watch gives the state at once and after each change, and begins anew when text is missing", async () => {
  for (const event of events) server.push(event);
  server.push(delta(0, "Hello"));
  const texts: string[] = [];
  for await (const state of client().watch("ses_root")) {
    const part = state.messages[0]!.parts[0]!;
    texts.push((part as { text: string }).text);
    if (texts.length === 1) void server.connected().then(() => { server.push(delta(5, " you")); server.release(); });
    if (texts.at(-1) === "Hello you" && server.cursors.length === 1) {
      // This client is not told of one delta, but of the next.
      server.push(delta(9, " and"));
      server.lose();
      server.push(delta(13, " me"));
      server.release();
    }
    if (texts.at(-1) === "Hello you and me") break;
  }
  assert.deepEqual(texts, ["Hello", "Hello you", "Hello you and me"]);
  assert.deepEqual(server.cursors, ["e1:3", "e1:3"]);
});
