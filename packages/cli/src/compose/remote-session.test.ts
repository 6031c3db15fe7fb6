import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { Message, SessionState, StreamEvent, TreeState } from "@beeuni/transcript";
import { RemoteSession } from "./remote-session.ts";

const id = "ses_1";
const model = { provider: "faux", id: "demo" };
const info = { id, title: "", directory: "/w", agent: "build", model, harness: "pi", createdAt: 0, updatedAt: 0 };
const before: SessionState = { info, deleted: false, status: { type: "idle" }, turns: [], messages: [], permissions: [], questions: [], grants: [], notices: [], opened: null };
const message: Message = { id: "msg_2", session: id, role: "assistant", turn: "trn_1", at: 0, agent: "build", model };
const ended: SessionState = {
  ...before,
  turns: [{ id: "trn_1", session: id, origin: "user", agent: "build", model, startedAt: 0, endedAt: 5, outcome: "completed", usage: null }],
  messages: [{ info: message, parts: [{ id: "prt_1", session: id, message: "msg_2", type: "text", text: "all of it", startedAt: 0 }] }],
};

/** A server whose event stream can't replay: it answers with the whole state once the prompt is in. */
const sent: string[] = [];
let resync: () => void = () => undefined;
const server = createServer((request, response) => {
  const path = new URL(request.url!, "http://x").pathname;
  sent.push(`${request.method} ${path}`);
  if (path === "/beeuni/runtime/state") response.end(JSON.stringify({ ...before, seq: 7, epoch: "old" }));
  else if (path === "/beeuni/events") {
    assert.equal(request.headers["last-event-id"], "old:7");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: hello\ndata: {"epoch":"new","head":9,"session":"${id}"}\n\n`);
    const state: TreeState = { seq: 9, at: 0, root: id, sessions: { [id]: ended } };
    resync = () => response.write(`event: resync\nid: new:9\ndata: ${JSON.stringify({ epoch: "new", seq: 9, state })}\n\n`);
  } else if (path.endsWith("/prompt")) {
    response.end(JSON.stringify({ message: "msg_1", turn: "trn_1", deduplicated: false }));
    resync();
  } else response.writeHead(404).end("{}");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close().closeAllConnections());

test("a stream that begins anew still ends the turn and tells everything of it", async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = await RemoteSession.join({ url, pid: process.pid, startedAt: "", directory: "/w", token: "t" }, id, () => ({ reply: "reject" }));
  const told: StreamEvent[] = [];
  session.subscribe((event) => told.push(event));
  while (!sent.includes("GET /beeuni/events")) await new Promise((resolve) => setImmediate(resolve));
  const { turn, done } = await session.prompt({ parts: [{ type: "text", text: "hi" }] });
  assert.deepEqual([turn, (await done).outcome, session.state().messages.length], ["trn_1", "completed", 1]);
  assert.deepEqual(told.map((event) => event.type), ["message.created", "part.updated"]);
  await session.close();
});
