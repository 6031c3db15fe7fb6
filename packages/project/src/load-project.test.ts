import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { formatIssue } from "@beeuni/protocol";
import { loadProject } from "./load-project.ts";
import { MANIFEST, projectWith } from "./project-fixture.ts";
import type { Project } from "./project.ts";
import { builtInAgent } from "./read-agents.ts";

const told = (project: Project): string[] => project.issues.map((issue) => `${issue.severity} ${formatIssue(issue)}`);
const states = (project: Project): string[] => project.agents.map(({ name, file, state }) => `${name} ${file ?? "-"} ${state}`);

test("[H-005] a folder without a project file has the built-in agent `build` and everything allowed", async () => {
  await using folder = await projectWith({ "README.md": "hello" });
  assert.deepEqual(await folder.load(), {
    directory: folder.directory, manifest: null, isProject: false, isUsable: true,
    agentSet: { default: "build", agents: [builtInAgent()], rulesFile: null, hostTools: [] },
    agents: [{ name: "build", file: null, state: "ready", issues: [], spec: builtInAgent() }],
    toolModules: [], systemTools: [], issues: [],
  });
});

test("[M-010] [M-011] `file` names the agent's file, without it the agent's name does", async () => {
  await using folder = await projectWith({
    "beeuni.yaml": "beeuni_version: 2\ndefault_agent: a\nruntime: small-harness\nagents:\n  a: {file: prompts/x.md}\n  b: {}\ntools:\n  show: beeuni:show\n  t: tools/t.ts\n",
    "prompts/x.md": "Prompt of x.", "agents/a.md": "Not this one.", "agents/b.md": "Prompt of b.",
  });
  const project = await folder.load();
  assert.deepEqual(project.agentSet.agents.map(({ name, prompt }) => [name, prompt]), [["a", "Prompt of x."], ["b", "Prompt of b."]]);
  assert.deepEqual([project.agentSet.default, project.manifest?.runtime, project.toolModules, project.systemTools, told(project)],
    ["a", "small-harness", [{ name: "t", path: "tools/t.ts" }], ["show"], ['warning beeuni.yaml:8:3 tools.show: the Beeuni tool "show" is not in this version: sessions run without it.']]);
});

test("[M-088] the manifest's tools and the file's own limit both hold", async () => {
  await using folder = await projectWith({
    "beeuni.yaml": "beeuni_version: 2\ndefault_agent: a\nagents:\n  a: {tools: [show, read]}\n  b: {tools: {exclude: [bash]}}\n  c: {}\n",
    "agents/a.md": "---\ntools: Read, Bash\n---\n", "agents/b.md": "b", "agents/c.md": "c",
  });
  assert.deepEqual((await folder.load()).agentSet.agents.map(({ tools }) => tools), [{ kind: "only", names: ["read"] }, { kind: "exclude", names: ["bash"] }, { kind: "all" }]);
});

test("[M-014] disabled, broken and undeclared agents are listed with their state, and only ready ones are in the set", async () => {
  await using folder = await projectWith({
    "beeuni.yaml": "beeuni_version: 2\ndefault_agent: a\nagents:\n  a: {}\n  off: {enabled: false}\n  out: {}\n  bad: {}\n  gone: {file: agents/nowhere.md}\n  bare: {}\n",
    "agents/a.md": "a", "agents/off.md": "off", "agents/out.md": "---\ndisable: true\n---\n", "agents/bad.md": "---\npermission: {bash: perhaps}\n---\n", "agents/spare.md": "spare",
    "agents/team/deep agent.md": "deep", "agents/notes.txt": "x",
  });
  const project = await folder.load();
  assert.deepEqual(states(project), [
    "a agents/a.md ready", "off agents/off.md disabled", "out agents/out.md disabled", "bad agents/bad.md broken", "gone agents/nowhere.md broken", "bare - ready",
    "spare agents/spare.md undeclared", "team/deep agent agents/team/deep agent.md undeclared",
  ]);
  assert.deepEqual(project.agentSet.agents.map(({ name }) => name), ["a", "bare"]);
  assert.deepEqual(told(project), [
    "error agents/bad.md:2:14 permission.bash: must be one of: ask, allow, deny (got \"perhaps\").",
    "error agents/nowhere.md agents.gone.file: \"agents/nowhere.md\" is not declared in the project files.",
    "warning agents/bare.md agents.bare.file: \"agents/bare.md\" is not declared in the project files: the agent runs with the harness's own prompt.",
  ]);
  assert.equal(project.isUsable, true);
});

test("[H-008] without a manifest the files in agents/ are the agents; one bad file leaves the others usable", async () => {
  await using folder = await projectWith({
    "agents/zoe.md": "Zoe.", "agents/README.md": "How we write agents.", "agents/sub.md": "---\nmode: subagent\n---\n", "agents/bad.md": "---\nname: x\n",
    "agents/größe.md": "\uFEFF---\r\nvariant: x\r\n---\r\nLine one.\r\nLine two.\r\n", "agents/.hidden/x.md": "no",
  });
  const project = await folder.load();
  assert.deepEqual(states(project), ["bad agents/bad.md broken", "größe agents/größe.md ready", "sub agents/sub.md ready", "zoe agents/zoe.md ready"]);
  assert.equal(project.agentSet.default, "größe");
  assert.equal(project.agentSet.agents[0]?.prompt, "Line one.\nLine two.");
  assert.equal(project.agentSet.agents[0]?.variant, "x");
  assert.deepEqual(told(project), ["error agents/bad.md:1:1 <front matter>: the front matter is not closed: a line `---` is missing after its keys"]);
});

test("[H-008] without a manifest `build` is the default when it is there, and is added when nothing can lead", async () => {
  await using folder = await projectWith({ "agents/alpha.md": "a", "agents/build.md": "Own build." });
  assert.equal((await folder.load()).agentSet.default, "build");
  await using subs = await projectWith({ "agents/sub.md": "---\nmode: subagent\n---\n" });
  const { agentSet } = await subs.load();
  assert.deepEqual([agentSet.default, agentSet.agents.map(({ name }) => name)], ["build", ["sub", "build"]]);
});

test("[H-007] only the given folder is the project: nothing above it is read", async () => {
  await using folder = await projectWith({ "beeuni.yaml": MANIFEST, "agents/a.md": "a", "AGENTS.md": "rules above", "sub/file": "x" });
  const project = await loadProject(join(folder.directory, "sub"), { runtimes: [] });
  assert.deepEqual([project.isProject, project.agentSet.rulesFile, project.agentSet.default], [false, null, "build"]);
});

test("a manifest with mistakes makes the project unusable; all of them are told", async () => {
  await using folder = await projectWith({ "beeuni.yaml": "agents:\n  a: {enabled: 1}\nruntime: foo\n" });
  const project = await folder.load();
  assert.deepEqual([project.isProject, project.isUsable], [true, false]);
  assert.deepEqual(told(project).filter((line) => line.startsWith("error")), [
    "error beeuni.yaml beeuni_version: beeuni_version is required — add `beeuni_version: 2` at the top.",
    "error beeuni.yaml:3:1 runtime: runtime must be one of: standard-harness, small-harness (got \"foo\").",
    "error beeuni.yaml:2:7 agents.a.enabled: must be a boolean.",
    "error beeuni.yaml default_agent: beeuni_version 2 manifests must set `default_agent` — it must always resolve to a declared agent.",
  ]);
});

test("a kortix.yaml is not an empty project", async () => {
  await using folder = await projectWith({ "kortix.yaml": "kortix_version: 2\n" });
  const project = await folder.load();
  assert.deepEqual([project.isProject, project.isUsable, project.agentSet.agents], [true, false, []]);
  assert.deepEqual(told(project), ["error kortix.yaml <file>: kortix.yaml is not read: rename it to beeuni.yaml, and its key `kortix_version` to `beeuni_version`."]);
});

test("a manifest that is a folder, or a link out of the project, is an error", async () => {
  await using folder = await projectWith({ "beeuni.yaml/x": "" });
  assert.deepEqual(told(await folder.load()), ["error beeuni.yaml <file>: beeuni.yaml is not a readable file of the project (irregular)."]);
  await using linked = await projectWith({});
  await symlink("/etc/hostname", join(linked.directory, "beeuni.yaml"));
  assert.deepEqual(told(await linked.load()), ["error beeuni.yaml <file>: beeuni.yaml is not a readable file of the project (outside)."]);
});

test("a folder that does not exist is `not_found`", async () => {
  await assert.rejects(loadProject("/nonexistent/folder", { runtimes: [] }), { code: "not_found", message: "there is no folder /nonexistent/folder", hint: "give an existing folder with --dir" });
});

test("agent files are read inside the project only", async () => {
  await using outside = await projectWith({ "secret.md": "secret" });
  await using folder = await projectWith({ "beeuni.yaml": MANIFEST.replace("a: {}", "a: {}\n  b: {}\n  c: {}"), "lib/real.md": "inside" });
  await mkdir(join(folder.directory, "agents"));
  await symlink("../lib/real.md", join(folder.directory, "agents/a.md"));
  await symlink(join(outside.directory, "secret.md"), join(folder.directory, "agents/b.md"));
  execFileSync("mkfifo", [join(folder.directory, "agents/c.md")]);
  const project = await folder.load();
  assert.deepEqual(states(project), ["a agents/a.md ready", "b agents/b.md broken", "c agents/c.md broken"]);
  assert.deepEqual(told(project), ["error agents/b.md <file>: is a link that leaves the project.", "error agents/c.md <file>: is not a regular file."]);
});

test("an agent file that is not UTF-8 is read with a warning", async () => {
  await using folder = await projectWith({ "agents/a.md": Buffer.from([0x61, 0xff, 0x62]) });
  const project = await folder.load();
  assert.equal(project.agentSet.agents[0]?.prompt, "a\uFFFDb");
  assert.deepEqual(told(project), ["warning agents/a.md <file>: is not UTF-8: what can't be read is replaced."]);
});

test("[H-053] [H-010] AGENTS.md of the root is the rules file", async () => {
  await using folder = await projectWith({ "AGENTS.md": "Rules: ä.\n" });
  const sha = createHash("sha256").update("Rules: ä.\n").digest("hex").slice(0, 12);
  assert.deepEqual((await folder.load()).agentSet.rulesFile, { source: "workspace", path: join(folder.directory, "AGENTS.md"), text: "Rules: ä.\n", bytes: 11, sha });
});

test("[H-054] [H-055] [H-058] CLAUDE.md is read only when there is no AGENTS.md; files of other folders never", async () => {
  const textOf = async (files: { [path: string]: string }): Promise<string | null> => {
    await using folder = await projectWith(files);
    return (await folder.load()).agentSet.rulesFile?.text ?? null;
  };
  assert.equal(await textOf({ "CLAUDE.md": "claude", "sub/AGENTS.md": "sub" }), "claude");
  assert.equal(await textOf({ "CLAUDE.md": "claude", "AGENTS.md": "agents" }), "agents");
  assert.equal(await textOf({ "CLAUDE.md": "claude", "AGENTS.md": " \n" }), null);
  assert.equal(await textOf({ "sub/AGENTS.md": "sub", "sub/CLAUDE.md": "sub" }), null);
});

test("[H-053] a rules file that can't be used adds nothing; all but an empty one are warned of", async () => {
  const withRules = async (make: (path: string) => unknown): Promise<[unknown, string[]]> => {
    await using folder = await projectWith({ "docs/rules.md": "inside", "CLAUDE.md": "claude" });
    await make(join(folder.directory, "AGENTS.md"));
    const project = await folder.load();
    return [project.agentSet.rulesFile?.text ?? null, told(project)];
  };
  assert.deepEqual(await withRules((path) => mkdir(path)), [null, ["warning AGENTS.md <file>: is not a regular file: it is skipped."]]);
  assert.deepEqual(await withRules((path) => execFileSync("mkfifo", [path])), [null, ["warning AGENTS.md <file>: is not a regular file: it is skipped."]]);
  assert.deepEqual(await withRules((path) => symlink("/etc/hostname", path)), [null, ["warning AGENTS.md <file>: is a link that leaves the project: it is skipped."]]);
  assert.deepEqual(await withRules((path) => symlink("docs/rules.md", path)), ["inside", []]);
});

test("files that would use up memory or time are refused with what they may have", { timeout: 20_000 }, async () => {
  const manifest = "beeuni_version: 2\ndefault_agent: a\nagents:\n  a: {}\n";
  const of = async (files: { [path: string]: string }): Promise<string[]> => {
    await using folder = await projectWith({ "beeuni.yaml": manifest, "agents/a.md": "---\nmode: primary\n---\n", ...files });
    return told(await folder.load());
  };
  const front = (text: string): string => `---\nmode: primary\n${text}\n---\n`;
  const keys = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}: v`).join("\n");
  const [body, many, cyclic] = await Promise.all([of({ "agents/a.md": front("") + "x".repeat(2_000_000) }), of({ "agents/a.md": front(keys(20_000)) }), of({ "agents/a.md": front("options: &o {a: *o}") })]);
  assert.deepEqual([body, many, cyclic], [
    ["error agents/a.md <file>: can't be read: it has 2000023 bytes; a file of the project's may have 1048576"],
    ["error agents/a.md:2:1 <front matter>: the front matter has 188903 characters; it may have 65536"],
    ["error agents/a.md:2:1 <front matter>: the front matter can't be read: an alias stands inside of what it names"],
  ]);
  assert.deepEqual(await of({ "beeuni.yaml": `${manifest}${keys(20_000)}\n` }), ["error beeuni.yaml <yaml>: has 188941 characters; a manifest may have 131072."]);
  assert.deepEqual(await of({ "beeuni.yaml": `${manifest}x: &x [*x]\n` }), ["error beeuni.yaml <yaml>: Syntax error: an alias stands inside of what it names"]);
  // Blanks and colons that make a pattern try for ever.
  const blanks = " ".repeat(30_000);
  for (const line of [`a${blanks}x`, `*a${blanks}x`, `a: b${blanks}c: d`]) assert.equal((await of({ "agents/a.md": front(line) })).length > 0, true);
  assert.deepEqual(await of({ "agents/a.md": `---\na${" ".repeat(900_000)}x\n---\nbody` }), []);
});
