import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@beeuni/sdk";
import type { SessionState } from "@beeuni/transcript";
import { serveBench, TOKEN } from "../testing/client.ts";

test("[H-012] the SDK's client: create, watch, prompt, answer a request, read the call behind an answer, stop, remove", async (t) => {
  const files = { "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\nagents:\n  a: {}\n", "agents/a.md": "---\nmode: primary\npermission:\n  bash: ask\n---\n" };
  const { server, daemon } = await serveBench(t, { files, scripted: { model: true } });
  const client = createClient({ url: server.url, token: TOKEN });
  assert.deepEqual((await client.agents()).map(({ name, isDefault }) => [name, isDefault]), [["a", true]]);
  const session = await client.sessions.create({ title: "Mine" });
  const leave = new AbortController();
  let watched: SessionState | undefined;
  const watching = (async () => {
    for await (const state of client.watch(session.id, { signal: leave.signal })) {
      watched = state;
      const [request] = state.permissions;
      if (request !== undefined) await client.permissions.reply(request.id, { reply: "once" }).catch(() => {});
    }
  })();
  const { result, message, turn } = await client.sessions.promptAndWait(session.id, "say hello there\nrun echo hi");
  assert.deepEqual([result.outcome, result.prompt, result.id], ["completed", message, turn]);
  const state = await client.sessions.state(session.id);
  const { messages } = await client.sessions.messages(session.id);
  assert.deepEqual(messages, state.messages);
  const answer = messages.findLast(({ parts }) => parts.some((part) => part.type === "text"))!;
  const call = await client.calls.get(answer.info.id);
  assert.deepEqual([call.session, call.links.map((link) => link.message)], [session.id, [answer.info.id]]);
  assert.equal((JSON.parse(Buffer.from(await client.calls.request(answer.info.id)).toString()) as { model: string }).model, "demo");

  const hanging = await client.sessions.prompt(session.id, { message_id: "msg_0123456789abAAAAAAAAAAAAAA", parts: [{ type: "text", text: "hang" }] });
  assert.equal(hanging.deduplicated, false);
  assert.equal(await client.sessions.abort(session.id), true);
  const ended = await client.sessions.promptAndWait(session.id, { message_id: hanging.message, parts: [{ type: "text", text: "hang" }] });
  assert.deepEqual([ended.deduplicated, ended.result.outcome], [true, "aborted"]);
  const last = (await client.sessions.state(session.id)).turns;
  while (watched?.turns.at(-1)?.endedAt === undefined || watched.turns.length < last.length) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(watched, daemon.openSessions()[0]!.state());
  leave.abort();
  await watching;
  assert.equal((await client.sessions.restart(session.id)).harness.id, "scripted");
  await client.sessions.remove(session.id);
  await assert.rejects(client.sessions.get(session.id), { code: "session_not_found" });
});
