import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createScriptedHarness } from "@beeuni/conformance";
import type { Harness } from "@beeuni/harness";
import type { BeeuniError } from "@beeuni/protocol";
import { conversation, openBench, text, turn } from "../testing/bench.ts";

const MANIFEST = "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\n";
const AGENT = "---\nmode: primary\n---\n";

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(() => assert.fail("it was not refused"), (error: BeeuniError) => error.toBody());
}

test("[H-079] [H-080] [H-082] [H-084] [M-072] [M-077] project tools run in this process; one that can't be loaded is skipped with its reason; others do not exist", async (t) => {
  const files = {
    "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\ntools:\n  lookup: tools/lookup.ts\n  broken: tools/broken.ts\n`,
    "agents/a.md": AGENT,
    "tools/lookup.ts": 'export default { description: "Looks up.", parameters: { type: "object", properties: {} }, execute: (args: unknown, context: { env: object; directory: string; agent: string }) => ({ args, pid: process.pid, env: context.env, directory: context.directory, agent: context.agent }) };\n',
    "tools/broken.ts": 'export default { description: "x", parameters: { type: "object" } };\n',
  };
  const { daemon, harness, directory } = await openBench(t, { files, commandEnv: { PATH: "/bin", GRANTED: "yes" } });
  const session = await daemon.createSession({});
  assert.deepEqual(session.state().notices.filter(({ code }) => code !== "project_issue").map(({ level, code, message }) => [level, code, message]), [
    ["warning", "tool_skipped", "The tool broken (tools/broken.ts) was left out: `execute(args, context)` must be a function"],
  ]);
  await turn(session, 'tool lookup {"id": 7}\nhost memory {}');
  assert.deepEqual(harness.opened[0]!.agents.hostTools.map(({ name }) => name), ["lookup"]);
  const [first, second] = session.state().messages.flatMap(({ parts }) => parts).filter((part) => part.type === "tool").map(({ state }) => state);
  assert.deepEqual(first!.status === "completed" && JSON.parse(first!.output), { args: { id: 7 }, pid: process.pid, env: { PATH: "/bin", GRANTED: "yes" }, directory, agent: "a" });
  assert.deepEqual(second!.status === "error" && [second!.kind, second!.error], ["failed", "There is no tool named memory."]);
});

test("a rule for a tool that is nearly one is told at the start", async (t) => {
  const files = { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n`, "agents/a.md": "---\nmode: primary\npermission:\n  bassh: deny\n  bash: deny\n---\n" };
  const { daemon } = await openBench(t, { files });
  const { notices } = (await daemon.createSession({})).state();
  assert.deepEqual(notices.map(({ level, code, message }) => [level, code, message]), [
    ["warning", "unknown_tool", 'agents.a.permission: no tool is called "bassh", so it decides nothing; did you mean bash?'],
  ]);
});

test("a tool that never returns ends with the turn's stop", async (t) => {
  const files = {
    "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\ntools:\n  stuck: tools/stuck.ts\n`, "agents/a.md": AGENT,
    "tools/stuck.ts": 'export default { description: "x", parameters: { type: "object" }, execute: () => new Promise(() => {}) };\n',
  };
  const { daemon } = await openBench(t, { files });
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text("tool stuck {}") });
  while (!conversation(session).includes("stuck running")) await new Promise((resolve) => setTimeout(resolve, 5));
  await session.abort();
  assert.equal((await done).outcome, "aborted");
  assert.match(conversation(session).at(-1)!, /^stuck aborted/);
});

test("a deny that nobody enforces refuses the start and names the rule; allowed, it is recorded", async (t) => {
  const lax: Harness = {
    ...createScriptedHarness({ id: "lax" }),
    compile: (agents) => ({
      files: {}, env: {}, argv: [], unsupported: [{ field: "agents.a.options", effect: "not sent", why: "no options" }],
      rules: Object.fromEntries(agents.agents.map(({ name, permissions }) => [name, permissions.map((rule) => ({ ...rule, enforcer: "nobody" as const, reason: "it asks nobody" }))])),
    }),
  };
  const files = { "beeuni.yaml": `${MANIFEST}agents:\n  a: {}\n`, "agents/a.md": "---\nmode: primary\npermission:\n  bash:\n    \"rm *\": deny\n---\n" };
  const bench = await openBench(t, { files, others: [lax], platform: { standard: "lax", experimental: "lax" } });
  assert.deepEqual(await refusal(bench.daemon.createSession({})), {
    code: "rule_not_enforced", error: 'lax would not enforce these rules:\n  a: bash "rm *": deny (it asks nobody)', hint: "choose another harness, change the rules, or start with --allow-unenforced",
  });
  assert.deepEqual(await bench.daemon.sessions(), []);
  const session = await bench.another({ allowUnenforced: true }).createSession({});
  assert.deepEqual(session.state().opened!.rules, [{ permission: "bash", pattern: "rm *", action: "deny", enforcer: "nobody", reason: "it asks nobody" }]);
  assert.deepEqual(session.state().notices.map(({ code, message }) => [code, message]), [
    ["rule_not_enforced", 'Nobody enforces a: bash "rm *": deny (it asks nobody); the session was started with --allow-unenforced.'],
    ["not_supported", "agents.a.options: not sent (no options)"],
  ]);
});

test("a harness that is not installed is refused with the command that installs it; with an installer it is installed first", async (t) => {
  const absent: Harness = { ...createScriptedHarness({ id: "absent" }), toolchain: { version: "1.2.3", tested: [], packages: { thing: "1.2.3" }, probe: "node_modules/thing/index.js", megabytes: 1 } };
  const bench = await openBench(t, { others: [absent], platform: { standard: "absent", experimental: "absent" } });
  assert.deepEqual(await refusal(bench.daemon.createSession({})), {
    code: "harness_not_installed", error: "the absent harness 1.2.3 is not installed", hint: "run `beeuni harness install absent`",
  });
  assert.deepEqual((await bench.daemon.health()).harness.error, "absent 1.2.3 is not installed");
  const folder = join(bench.home, "harnesses", "absent@1.2.3", "node_modules", "thing");
  const installing = bench.another({
    onInstall: async () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"version":"1.2.3"}');
      writeFileSync(join(folder, "index.js"), "");
    },
  });
  assert.equal((await installing.createSession({})).decision.harness, "absent");
});
