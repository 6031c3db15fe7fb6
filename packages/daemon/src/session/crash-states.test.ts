import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Bench, conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";
import { CHECKPOINTS, type CheckpointName } from "./checkpoints.ts";

const PROJECT = {
  "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\nagents:\n  a: {}\n",
  "agents/a.md": "---\nmode: primary\npermission:\n  bash:\n    \"*\": allow\n    \"true\": ask\n---\n",
};
const SCRIPT = "say some words\nsleep 260\nmore and more\nrun echo x >> runs\nrun true\nask Colour: which? | red\nsay end";
const PROMPT = "msg_0123456789abAAAAAAAAAAAAAA";

/** Copies the home as it is on the disk at the first time that each state is reached: what a kill -9 there would leave. */
function copyAtEach(bench: Bench, copies: Map<CheckpointName, string>): void {
  bench.onCheckpoint = (name) => {
    if (copies.has(name)) return;
    const copy = join(bench.home, "..", `at-${name}`);
    cpSync(bench.home, copy, { recursive: true });
    copies.set(name, copy);
  };
}

test("after a death at any named state: nothing acknowledged is lost, nothing is done again, and the session goes on", async (t) => {
  const bench = await openBench(t, { files: PROJECT });
  const copies = new Map<CheckpointName, string>();
  const runs = join(bench.directory, "runs");
  copyAtEach(bench, copies);
  const session = await bench.daemon.createSession({});
  session.subscribe((event) => {
    if (event.type === "permission.asked") void session.replyPermission(event.request.id, { reply: "once" });
    if (event.type === "question.asked") void session.replyQuestion(event.request.id, [["red"]]);
  });
  const first = await session.prompt({ messageId: PROMPT, parts: text(SCRIPT) });
  const second = await session.prompt({ parts: text("hang") });
  await first.done;
  await when(session, ofType("turn.started"));
  await session.abort();
  await second.done;
  await bench.daemon.close();
  // `recovered` is reached by recovering: at the state in which most is open.
  rmSync(lockOf(copies.get("tool-running")!, session.id));
  await (await bench.another({ home: copies.get("tool-running")! }).openSession(session.id)).close();
  assert.deepEqual(CHECKPOINTS.filter((name) => !copies.has(name)), []);

  for (const [name, home] of copies) {
    const before = existsSync(runs) ? readFileSync(runs, "utf8") : "";
    rmSync(lockOf(home, session.id), { force: true });
    const daemon = bench.another({ home });
    const again = await daemon.openSession(session.id);
    const state = again.state();
    const open = state.messages.flatMap(({ parts }) => parts).filter((part) =>
      part.type === "tool" ? part.state.status === "pending" || part.state.status === "running" : part.type !== "file" && part.endedAt === undefined);
    assert.deepEqual(
      { name, status: state.status, open, permissions: state.permissions, questions: state.questions, unended: state.turns.filter(({ endedAt }) => endedAt === undefined) },
      { name, status: { type: "idle" }, open: [], permissions: [], questions: [], unended: [] },
    );
    const accepted = state.messages.some(({ info }) => info.id === PROMPT);
    assert.equal(accepted, !["log-created", "harness-opening"].includes(name), name);
    if (accepted) {
      const repeated = await again.prompt({ messageId: PROMPT, parts: text(SCRIPT) });
      assert.equal(repeated.deduplicated, true, name);
      assert.match((await repeated.done).outcome!, /^(completed|interrupted)$/, name);
    }
    const next = await turn(again, "recall\nsay next");
    assert.deepEqual([next.outcome, conversation(again).at(-1)], ["completed", "assistant: next"], name);
    assert.equal(again.state().messages.filter(({ info }) => info.id === PROMPT).length, accepted ? 1 : 0, name);
    assert.equal(existsSync(runs) ? readFileSync(runs, "utf8") : "", before, `${name}: the tool ran again`);
    await daemon.close();
    assert.deepEqual((await bench.another({ home }).openSession(session.id)).state().notices.length, again.state().notices.length, `${name}: recovered twice`);
  }
});

function lockOf(home: string, session: string): string {
  return join(home, "sessions", session, "lock");
}
