import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createScriptedHarness } from "@beeuni/conformance";
import type { BeeuniError } from "@beeuni/protocol";
import type { LocalDaemon } from "./local-daemon.ts";
import { conversation, openBench, text, turn } from "./testing/bench.ts";

const MANIFEST = "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\n";
const AGENT = "---\nmode: primary\n---\n";

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(() => assert.fail("it was not refused"), (error: BeeuniError) => error.toBody());
}

test("a session starts with the project's default agent and is listed", async (t) => {
  const { daemon, directory } = await openBench(t, { files: { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n  b: {}\n`, "agents/a.md": AGENT, "agents/b.md": AGENT } });
  const session = await daemon.createSession({ title: "First" });
  const { info } = session.state();
  const { createdAt, updatedAt, ...rest } = info;
  assert.deepEqual(rest, { id: session.id, title: "First", directory, agent: "a", model: { provider: "faux", id: "demo" }, harness: "scripted" });
  assert.deepEqual(await daemon.sessions(), [{ ...info, status: { type: "idle" }, messages: 0 }]);
  assert.ok(updatedAt >= createdAt);
  assert.equal((await daemon.createSession({ agent: "b" })).state().info.agent, "b");
  assert.deepEqual((await daemon.agents()).map(({ name, isDefault }) => [name, isDefault]), [["a", true], ["b", false]]);
});

test("[M-014] an agent that is undeclared, disabled or unknown may not start, and nothing is left behind", async (t) => {
  const files = { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n  off:\n    enabled: false\n`, "agents/a.md": AGENT, "agents/off.md": AGENT, "agents/loose.md": AGENT };
  const { daemon, home } = await openBench(t, { files });
  assert.equal((await refusal(daemon.createSession({ agent: "off" })) as { code: string }).code, "agent_disabled");
  assert.equal((await refusal(daemon.createSession({ agent: "loose" })) as { code: string }).code, "agent_not_found");
  assert.deepEqual(await refusal(daemon.createSession({ agent: "aa" })), { code: "agent_not_found", error: `there is no agent "aa" in ${daemon.directory}`, hint: "did you mean a?" });
  assert.deepEqual([await daemon.sessions(), existsSync(join(home, "sessions")), existsSync(join(home, "traces"))], [[], false, false]);
});

test("without a model, and with one that no provider has, the start is refused with what would work", async (t) => {
  const { another } = await openBench(t);
  const daemon = another({ defaultModel: undefined as never });
  assert.deepEqual(await refusal(daemon.createSession({})), {
    code: "no_model", error: 'no model is chosen: agent "build" names none and there is no default', hint: "give --model provider/model; --model faux/demo works without a key",
  });
  assert.equal((await refusal(daemon.createSession({ model: "faux/dmo" })) as { code: string }).code, "model_not_found");
});

test("a project with errors is refused with all of them", async (t) => {
  const { daemon } = await openBench(t, { files: { "beeuni.yaml": "beeuni_version: 2\ndefault_agent: a\nruntime: nothing\nagents:\n  a:\n    enabled: 3\n", "agents/a.md": AGENT } });
  const { code, error } = await refusal(daemon.createSession({})) as { code: string; error: string };
  assert.equal(code, "invalid_project");
  for (const what of ["beeuni.yaml:3", "beeuni.yaml:6"]) assert.ok(error.includes(what), error);
});

test("[H-014] [H-015] [H-016] [H-017] the harness is decided at start, restart and resume, and kept in between", async (t) => {
  const other = createScriptedHarness({ id: "other" });
  const flags = { llm_gateway: true, pi_harness: true };
  const bench = await openBench(t, {
    files: { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n`, "agents/a.md": AGENT }, others: [other], platform: { standard: "scripted", experimental: "other" }, flags: async () => flags,
  });
  const { daemon } = bench;
  const first = await daemon.createSession({});
  assert.equal((await first.health()).harness.id, "other");
  flags.pi_harness = false;
  assert.equal((await turn(first, "say a")).outcome, "completed");
  assert.deepEqual([(await first.health()).harness.id, other.opened.length, bench.harness.opened.length], ["other", 1, 0]);
  const second = await daemon.restartSession(first.id);
  assert.deepEqual([(await second.health()).harness.id, second.state().info.harness], ["scripted", "scripted"]);
  assert.deepEqual(second.state().notices.map(({ code, message }) => [code, message]), [[
    "harness_changed", "This session ran on other and goes on with scripted (no other rule matches). The conversation was carried over as text.",
  ]]);
  await turn(second, "recall");
  assert.equal(conversation(second).at(-1), "assistant: user: say a / assistant: a / user: recall");
  await daemon.close();
  flags.pi_harness = true;
  const third = await bench.another().openSession(first.id);
  assert.deepEqual([third.decision.harness, third.decision.rule], ["other", 2]);
  assert.ok(bench.logged.includes("info: agent harness selected: other (rule 2: the project's flag pi_harness is on)"));
});

test("an explicit choice of a harness stays the session's, and --harness changes it", async (t) => {
  const other = createScriptedHarness({ id: "other" });
  const bench = await openBench(t, { others: [other] });
  const session = await bench.daemon.createSession({ harness: "other" });
  assert.deepEqual([session.decision.rule, session.decision.harness], [0, "other"]);
  await turn(session, "say a");
  await bench.daemon.close();
  const again = await bench.another().openSession(session.id);
  assert.deepEqual([again.decision.rule, again.decision.harness], [0, "other"]);
  await again.close();
  const changed = await bench.another({ explicitHarness: "scripted" }).openSession(session.id);
  assert.equal(changed.decision.harness, "scripted");
});

test("a harness that can't be told a conversation does not take one over", async (t) => {
  const mute = createScriptedHarness({ id: "mute", support: { history: { level: "none", reason: "it reads no history" } } });
  const bench = await openBench(t, { others: [mute] });
  const session = await bench.daemon.createSession({});
  await turn(session, "say a");
  await session.close();
  assert.deepEqual(await refusal(bench.daemon.openSession(session.id, { harness: "mute" })), {
    code: "harness_unavailable",
    error: "this session ran on scripted, and mute (asked for with --harness mute) can't take its conversation over: it reads no history",
    hint: "go on with --harness scripted, or start a new session",
  });
  assert.equal((await turn(await bench.daemon.openSession(session.id), "say b")).outcome, "completed");
});

test("a resumed session goes on where it was: in the harness's own session, by its native id", async (t) => {
  const bench = await openBench(t);
  const session = await bench.daemon.createSession({});
  await turn(session, "say remember");
  await bench.daemon.close();
  const again = await bench.another().openSession(session.id);
  await turn(again, "recall");
  assert.equal(conversation(again).at(-1), "assistant: user: say remember / assistant: remember / user: recall");
  const [, reopened] = bench.harness.opened;
  assert.deepEqual([reopened!.resume !== null, reopened!.history.map(({ role, text: said }) => [role, said])], [true, [["user", "say remember"], ["assistant", "remember"]]]);
  assert.deepEqual(again.state().notices, []);
});

test("with the harness's own session files deleted every read is whole, and the next turn is told the conversation, with a notice", async (t) => {
  const bench = await openBench(t);
  const session = await bench.daemon.createSession({});
  await turn(session, "say one\nrun echo two");
  const before = conversation(session);
  const state = join(bench.home, "sessions", session.id, "state");
  await bench.daemon.close();
  assert.ok(readdirSync(state).length > 0);
  rmSync(state, { recursive: true });
  const daemon = bench.another();
  const read = (await daemon.read(session.id)).state;
  assert.deepEqual(conversation({ state: () => read }), before);
  const again = await daemon.openSession(session.id);
  assert.deepEqual(conversation(again), before);
  await turn(again, "recall");
  assert.match(conversation(again).at(-1)!, /^assistant: user: say one/);
  assert.deepEqual(again.state().notices.map(({ code }) => code), ["native_session_lost"]);
});

test("a session goes on with another agent and model when asked to", async (t) => {
  const files = { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n  b: {}\n`, "agents/a.md": AGENT, "agents/b.md": "---\nmode: primary\nmodel: second/small\n---\n" };
  const { daemon } = await openBench(t, { files });
  const session = await daemon.createSession({});
  await turn(session, "say a");
  const small = { provider: "second", id: "small" };
  const again = await daemon.openSession(session.id, { agent: "b" });
  assert.deepEqual([again.state().info.agent, again.state().info.model], ["b", small]);
  assert.deepEqual((await turn(again, "say b")).model, small);
  const back = await daemon.openSession(session.id, { agent: "a" });
  assert.deepEqual([back.state().info.agent, back.state().info.model], ["a", small]);
  assert.deepEqual((await daemon.openSession(session.id, { model: "faux/demo" })).state().info.model, { provider: "faux", id: "demo" });
});

test("a prompt for another agent takes that agent's model, the session's own stays", async (t) => {
  const files = { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n  b: {}\n`, "agents/a.md": AGENT, "agents/b.md": "---\nmode: primary\nmodel: second/small\n---\n" };
  const { daemon, harness } = await openBench(t, { files });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("say b"), agent: "b" });
  const info = await done;
  assert.deepEqual([info.agent, info.model.id, session.state().info.agent, harness.opened.length], ["b", "small", "a", 1]);
  assert.equal((await turn(session, "say a")).model.id, "demo");
});

test("one session is open in one daemon only", async (t) => {
  const bench = await openBench(t);
  const session = await bench.daemon.createSession({});
  const { code, error } = await refusal(bench.another().openSession(session.id)) as { code: string; error: string };
  assert.deepEqual([code, error.startsWith(`session ${session.id} is open in this process`)], ["session_locked", true]);
  assert.deepEqual(await refusal(bench.another().removeSession(session.id)).then((body) => (body as { code: string }).code), "session_locked");
  assert.equal(await bench.daemon.openSession(session.id), session);
  await session.close();
  assert.equal((await turn(await bench.another().openSession(session.id), "say a")).outcome, "completed");
});

test("two that open a session at once get the same one", async (t) => {
  const bench = await openBench(t);
  const { id } = await bench.daemon.createSession({});
  await bench.daemon.close();
  const daemon = bench.another();
  const [one, two] = await Promise.all([daemon.openSession(id), daemon.openSession(id)]);
  assert.equal(one, two);
  await assert.rejects(daemon.openSession("ses_0123456789abAAAAAAAAAAAAAA"), { code: "session_not_found" });
});

test("a removed session is gone, with its trace", async (t) => {
  const { daemon, home } = await openBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say a");
  await daemon.removeSession(session.id);
  assert.deepEqual([await daemon.sessions(), readdirSync(join(home, "sessions")), readdirSync(join(home, "traces"))], [[], [], []]);
  await assert.rejects(daemon.read(session.id), { code: "session_not_found" });
});

test("what the daemon holds of a session is private to its user", async (t) => {
  const { daemon, home } = await openBench(t);
  const session = await daemon.createSession({});
  await turn(session, "say a");
  await session.close();
  const folder = join(home, "sessions", session.id);
  assert.equal(statSync(folder).mode & 0o077, 0);
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "binding.json"), "utf8")).harness, "scripted");
});

test("[H-005] [H-006] [H-029] health names the one harness that the session runs: the standard one by default", async (t) => {
  const pi = createScriptedHarness({ id: "pi" });
  const standard = createScriptedHarness({ id: "opencode" });
  const flags = { llm_gateway: true, pi_harness: false };
  const { daemon } = await openBench(t, {
    files: { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n`, "agents/a.md": AGENT }, others: [pi, standard], platform: { standard: "opencode", experimental: "pi" }, flags: async () => flags,
  });
  assert.equal((await daemon.health()).harness.id, "opencode");
  const first = await daemon.createSession({});
  await turn(first, "say a");
  assert.deepEqual([(await first.health()).harness.id, standard.opened.length, pi.opened.length], ["opencode", 1, 0]);
  flags.pi_harness = true;
  const second = await daemon.createSession({});
  await turn(second, "say a");
  assert.deepEqual([(await second.health()).harness.id, (await first.health()).harness.id, standard.opened.length, pi.opened.length], ["pi", "opencode", 1, 1]);
});

test("a session belongs to its folder, and can be named by the beginning of its id", async (t) => {
  const bench = await openBench(t);
  const { id } = await bench.daemon.createSession({});
  const other = createOther(bench.directory);
  const stranger = bench.another({ directory: other });
  assert.deepEqual(await refusal(stranger.openSession(id)), {
    code: "session_not_found", error: `the session ${id} belongs to another folder: ${bench.directory}`, hint: `use it there (--dir ${bench.directory})`,
  });
  assert.deepEqual(await stranger.sessions(), []);
  assert.equal((await bench.daemon.openSession(id.slice(0, 20))).id, id);
});

test("nothing of another folder's sessions is read or changed, whatever names them", async (t) => {
  const bench = await openBench(t, { scripted: { model: true } });
  const session = await bench.daemon.createSession({});
  await turn(session, "say hello there");
  const { id } = session;
  const [call] = await bench.daemon.calls(id);
  const answer = session.state().messages.at(-1)!;
  const stranger = bench.another({ directory: createOther(bench.directory) });
  const named = (daemon: LocalDaemon): [string, () => Promise<unknown>][] => [id, id.slice(0, 20)].flatMap((name): [string, () => Promise<unknown>][] => [
    ["read", () => daemon.read(name)], ["entry", () => daemon.entry(name)], ["harnessOf", () => daemon.harnessOf(name)], ["abort", () => daemon.abort(name)],
    ["calls", () => daemon.calls(name)], ["call", () => daemon.call(call!.id, name)], ["call of a message", () => daemon.call(answer.info.id, name)],
  ]);
  for (const [what, ask] of named(stranger)) assert.equal((await refusal(ask()) as { code: string }).code, "session_not_found", what);
  // Control: the folder's own daemon answers each of them.
  for (const [, ask] of named(bench.daemon)) await ask();
  assert.equal((await refusal(stranger.call(call!.id)) as { code: string }).code, "call_not_found");
  for (const ask of [() => stranger.removeSession(id), () => stranger.restartSession(id), () => stranger.openSession(id)]) {
    assert.equal((await refusal(ask()) as { code: string }).code, "session_not_found");
  }
  // Health needs no token: it tells neither the other folder nor what an id begins with.
  for (const name of [id, id.slice(0, 8)]) {
    const { status, boot_error, directory } = await stranger.health(name);
    assert.deepEqual([status, boot_error, directory], ["error", `there is no session "${name}"`, stranger.directory]);
  }
});

function createOther(directory: string): string {
  const other = join(directory, "..", "other");
  mkdirSync(other);
  return other;
}
