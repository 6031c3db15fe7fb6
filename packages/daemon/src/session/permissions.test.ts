import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { PermissionReplyBody } from "@beeuni/protocol";
import { type Bench, type BenchOptions, conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";
import type { OpenSession } from "./session-host.ts";

/** A project with two agents, each with its own rules in the order of its file. */
function project(rules: { [agent: string]: string }): { [path: string]: string } {
  const names = Object.keys(rules);
  return {
    "beeuni.yaml": `beeuni_version: 2\nproject:\n  name: test\ndefault_agent: ${names[0]}\nagents:\n${names.map((name) => `  ${name}: {}\n`).join("")}`,
    ...Object.fromEntries(names.map((name) => [`agents/${name}.md`, `---\nmode: primary\npermission:\n${rules[name]}---\n`])),
  };
}
const bash = (...lines: string[]): string => `  bash:\n${lines.map((line) => `    ${line}\n`).join("")}`;

async function open(t: TestContext, rules: { [agent: string]: string }, options: BenchOptions = {}): Promise<Bench & { session: OpenSession }> {
  const bench = await openBench(t, { files: project(rules), ...options });
  return { ...bench, session: await bench.daemon.createSession({}) };
}

/** Runs the script and answers every permission request with the reply. */
async function answering(session: OpenSession, script: string, reply: PermissionReplyBody): Promise<string[]> {
  const asked: string[] = [];
  const leave = session.subscribe((event) => {
    if (event.type !== "permission.asked") return;
    asked.push(`${event.request.agent} ${event.request.permission} ${event.request.patterns.join(" ")}`);
    void session.replyPermission(event.request.id, reply);
  });
  await turn(session, script);
  leave();
  return asked;
}

test("[H-050] [H-051] each rule of two agents, in both orders, decided and counted by what really ran", async (t) => {
  // Scripted dialect: the last rule that matches wins, so the order of the file decides.
  const [general, special] = ['"*": deny', '"touch *": allow'];
  const table: [string, string, "ran" | "denied" | "asked"][] = [
    ["a", bash(general, special), "ran"], ["b", bash(special, general), "denied"],
    ["c", bash('"*": allow', '"touch *": deny'), "denied"], ["d", bash('"touch *": deny', '"*": allow'), "ran"],
    ["e", bash('"*": deny', '"touch *": ask'), "asked"], ["f", bash('"touch *": ask', '"*": deny'), "denied"],
    ["g", bash('"touch *": ask', '"*": allow'), "ran"], ["h", bash('"*": allow', '"touch *": ask'), "asked"],
    ["i", "  bash: ask\n", "asked"], ["j", "  bash: allow\n", "ran"], ["k", '  "*": deny\n', "denied"], ["l", '  "*": deny\n  bash: allow\n', "ran"],
  ];
  const { session, directory } = await open(t, Object.fromEntries(table.map(([name, rules]) => [name, rules])));
  for (const [agent, , expected] of table) {
    for (const reply of ["once", "reject"] as const) {
      const file = `${agent}-${reply}`;
      let asked = 0;
      const leave = session.subscribe((event) => {
        if (event.type !== "permission.asked") return;
        asked++;
        void session.replyPermission(event.request.id, { reply });
      });
      await (await session.prompt({ parts: text(`run touch ${file}`), agent })).done;
      leave();
      const ran = existsSync(join(directory, file));
      assert.deepEqual({ agent, reply, ran, asked }, { agent, reply, ran: expected === "ran" || (expected === "asked" && reply === "once"), asked: expected === "asked" ? 1 : 0 });
    }
  }
});

test("a request shows the tool, what was tested, what an always would store, and its place in the transcript", async (t) => {
  const { session, checkpoints } = await open(t, { a: bash('"*": ask') });
  const { done } = await session.prompt({ parts: text("run git status --short") });
  const { request } = await when(session, ofType("permission.asked"));
  const part = session.state().messages[1]!.parts[0]!;
  assert.deepEqual(request, {
    id: request.id, session: session.id, turn: session.state().turns[0]!.id, agent: "a", permission: "bash", tool: "bash",
    patterns: ["git status --short"], always: ["git status *"], metadata: { command: "git status --short" },
    call: { message: part.message, part: part.id, callId: part.type === "tool" ? part.callId : "" },
  });
  assert.deepEqual(session.state().permissions, [request]);
  await session.replyPermission(request.id, { reply: "reject", message: "use git diff" });
  await done;
  assert.equal(conversation(session).at(-1), "bash rejected: The user rejected this tool call. use git diff");
  assert.ok(checkpoints.indexOf("permission-asked") < checkpoints.indexOf("permission-answered"));
});

test("always is stored for the agent and the pattern shown, answers later calls, and is there after a restart", async (t) => {
  const { session, daemon, another } = await open(t, { a: bash('"*": ask'), b: bash('"*": ask') });
  assert.deepEqual(await answering(session, "run touch x\nrun touch y\nrun mkdir z", { reply: "always" }), ["a bash touch x", "a bash mkdir z"]);
  assert.deepEqual(session.state().grants, [{ agent: "a", permission: "bash", pattern: "touch *" }, { agent: "a", permission: "bash", pattern: "mkdir *" }]);
  const asked = when(session, ofType("permission.asked"));
  const other = await session.prompt({ parts: text("run touch v"), agent: "b" });
  await session.replyPermission((await asked).request.id, { reply: "once" });
  await other.done;
  await daemon.close();
  const again = await another().openSession(session.id);
  assert.deepEqual(await answering(again, "run touch w\nrun rm w", { reply: "reject" }), ["a bash rm w"]);
});

test("the pattern that always stores can be changed in the reply", async (t) => {
  const { session } = await open(t, { a: bash('"*": ask') });
  assert.deepEqual(await answering(session, "run touch x\nrun touch y", { reply: "always", always: ["touch x"] }), ["a bash touch x", "a bash touch y"]);
  await assert.rejects(session.replyPermission("per_x", { reply: "once" }), { code: "not_found" });
});

test("a deny stands against a stored always, a flag and --yes", async (t) => {
  const rules = { a: bash('"*": ask', '"rm *": deny') };
  const { session, directory, daemon, another } = await open(t, rules);
  assert.deepEqual(await answering(session, "run touch keep", { reply: "always", always: ["*"] }), ["a bash touch keep"]);
  await turn(session, "run rm keep");
  assert.equal(conversation(session).at(-1), "bash denied: The project policy denies this bash call.");
  await daemon.close();
  const flagged = await another({ allow: { rules: [{ permission: "bash", pattern: "*" }], everything: true } }).openSession(session.id);
  await turn(flagged, "run rm keep");
  assert.equal(conversation(flagged).at(-1), "bash denied: The project policy denies this bash call.");
  assert.equal(existsSync(join(directory, "keep")), true);
});

test("headless, a call that asks is refused with the flag that would allow it; that flag then allows it and is recorded", async (t) => {
  const { session, daemon, another, directory } = await open(t, { a: bash('"*": ask') }, { headless: true });
  await turn(session, "run echo 'x' >> runs");
  assert.equal(
    conversation(session).at(-1),
    "bash denied: This bash call needs a person's permission and nobody is there to be asked. It can be allowed at the start with --allow 'bash:echo '\\''x'\\'' >> runs'",
  );
  assert.equal(existsSync(join(directory, "runs")), false);
  await daemon.close();
  const allowed = await another({ allow: { rules: [{ permission: "bash", pattern: "echo 'x' >> runs" }], everything: false } }).openSession(session.id);
  const replies: unknown[] = [];
  allowed.subscribe((event) => event.type === "permission.replied" && replies.push([event.reply, event.by, event.always]));
  await turn(allowed, "run echo 'x' >> runs\nrun echo y >> runs");
  assert.deepEqual(replies, [["once", "flag", []]]);
  assert.equal(readFileSync(join(directory, "runs"), "utf8"), "x\n");
});

test("--yes allows whatever asks, and nothing else", async (t) => {
  const { session } = await open(t, { a: bash('"*": ask', '"rm *": deny') }, { headless: true, allow: { rules: [], everything: true } });
  await turn(session, "run echo hi\nrun rm x");
  assert.deepEqual(conversation(session).slice(1), ["bash completed: hi", "bash denied: The project policy denies this bash call."]);
});

test("one always answers the other open requests that it covers", async (t) => {
  const { session } = await open(t, { a: bash('"*": ask') });
  const { done } = await session.prompt({ parts: text("run touch x\n& run touch y\n& run mkdir z") });
  while (session.state().permissions.length < 3) await when(session, ofType("permission.asked"));
  const [first, , third] = session.state().permissions;
  await session.replyPermission(first!.id, { reply: "always" });
  assert.deepEqual(session.state().permissions, [third]);
  await session.replyPermission(third!.id, { reply: "reject" });
  await done;
  assert.deepEqual(conversation(session).slice(1).map((line) => line.split(":")[0]), ["bash completed", "bash completed", "bash rejected"]);
});

test("two answers to one request: the first counts, the second is told", async (t) => {
  const { session } = await open(t, { a: bash('"*": ask') });
  const { done } = await session.prompt({ parts: text("run touch x") });
  const { request } = await when(session, ofType("permission.asked"));
  const [first, second] = await Promise.allSettled([session.replyPermission(request.id, { reply: "reject" }), session.replyPermission(request.id, { reply: "once" })]);
  assert.deepEqual([first.status, second.status], ["fulfilled", "rejected"]);
  await done;
  assert.match(conversation(session).at(-1)!, /^bash rejected/);
});
