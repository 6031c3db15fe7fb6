import assert from "node:assert/strict";
import { test } from "node:test";
import type { Issue } from "@beeuni/protocol";
import { readManifest } from "./read-manifest.ts";

const runtimes = ["standard-harness", "small-harness"];
const read = (text: string) => readManifest(text, { runtimes });
/** `path @line:column severity: message`, to compare whole lists. */
const told = (text: string): string[] => read(text).issues.map(line);
const line = (issue: Issue): string => `${issue.path} @${issue.line ?? "-"}:${issue.column ?? "-"} ${issue.severity}: ${issue.message}`;
const withHead = (body: string): string => `beeuni_version: 2\ndefault_agent: a\n${body}`;
const withAgents = (body: string): string => withHead(`agents:\n  a: {}\n${body}`);

test("[M-010] a whole manifest is read", () => {
  const text = withHead([
    "runtime: small-harness",
    "x_team: {note: kept for ourselves}",
    "agents:",
    "  a: {file: agents/prompts/first one.md, tools: [read, show]}",
    "  b: {enabled: false, tools: none}",
    "  c:",
    "tools:",
    "  show: beeuni:show",
    "  lookup: tools/lookup.ts",
    "  memory: integrations/memory.mjs",
    "",
  ].join("\n"));
  assert.deepEqual(read(text), {
    valid: true,
    issues: [{
      file: "beeuni.yaml", path: "tools.show", line: 10, column: 3, severity: "warning", message: 'the Beeuni tool "show" is not in this version: sessions run without it.',
    }],
    manifest: {
      file: "beeuni.yaml", version: 2, defaultAgent: "a", runtime: "small-harness",
      agents: {
        a: { name: "a", file: "agents/prompts/first one.md", enabled: true, tools: { kind: "only", names: ["read", "show"] } },
        b: { name: "b", file: null, enabled: false, tools: { kind: "none" } },
        c: { name: "c", file: null, enabled: true, tools: { kind: "all" } },
      },
      tools: { isDeclared: true, system: ["show"], modules: [{ name: "lookup", path: "tools/lookup.ts" }, { name: "memory", path: "integrations/memory.mjs" }] },
    },
  });
});

test("[M-011] without `tools` sessions get Beeuni's five, without `file` the agent's name decides", () => {
  const { manifest } = read(withAgents(""));
  assert.deepEqual(manifest?.tools, { isDeclared: false, system: ["web_search", "image_search", "scrape_webpage", "memory", "show"], modules: [] });
  assert.equal(manifest?.agents["a"]?.file, null);
});

test("a missing version is told first and shows the line to add; the rest is told with it", () => {
  const text = "version: 2\nagents:\n  a: {model: p/m}\n";
  assert.deepEqual(told(text), [
    "beeuni_version @-:- error: beeuni_version is required — add `beeuni_version: 2` at the top in place of `version`.",
    "agents.a.model @3:7 error: \"model\" is agent behavior — it lives in this agent's own `.md` frontmatter now, not in beeuni.yaml. Remove agents.a.model and set it in the frontmatter of the agent's `.md` (`agents.a.file`, default `agents/<name>.md`) instead.",
    "default_agent @-:- error: beeuni_version 2 manifests must set `default_agent` — it must always resolve to a declared agent.",
  ]);
  assert.match(told("agents: {a: {}}\ndefault_agent: a\n")[0]!, /add `beeuni_version: 2` at the top\.$/);
});

test("a version that can't be read stops everything else", () => {
  const only = (version: string): string[] => told(`beeuni_version: ${version}\nagents: 7\n`);
  assert.deepEqual(only('"2"'), ["beeuni_version @1:1 error: beeuni_version must be a positive integer (got \"2\")."]);
  assert.deepEqual(only("0"), ["beeuni_version @1:1 error: beeuni_version must be a positive integer (got 0)."]);
  assert.deepEqual(only("2.5"), ["beeuni_version @1:1 error: beeuni_version must be a positive integer (got 2.5)."]);
  assert.deepEqual(only("3"), ["beeuni_version @1:1 error: Unsupported schema version 3. This tool understands up to v2; upgrade the CLI or pin the manifest."]);
  assert.deepEqual(only("1"), ["beeuni_version @1:1 error: beeuni_version 1 is not read yet — write the manifest as `beeuni_version: 2`."]);
  assert.equal(read("beeuni_version: 3\n").manifest, null);
});

test("[H-025] runtime must be one of the accepted ids, and the text lists them", () => {
  assert.deepEqual(told(withAgents("runtime: small-harness\n")), []);
  assert.deepEqual(told(withAgents("runtime: foo\n")), ["runtime @5:1 error: runtime must be one of: standard-harness, small-harness (got \"foo\")."]);
  assert.deepEqual(told(withAgents("runtime: [small-harness]\n")), ["runtime @5:1 error: runtime must be one of: standard-harness, small-harness (got [\"small-harness\"])."]);
  assert.equal(read(withAgents("")).manifest?.runtime, null);
});

test("[M-014] every mistake in `agents` is told at its place", () => {
  const text = withHead([
    "agents:",
    "  a: {enabled: 'yes'}",
    "  Big: {}",
    "  c: [x]",
    "  d:",
    "    file: ../x.md",
    "    prompt_file: p.md",
    "    env: [X]",
    "    tools: some",
    "",
  ].join("\n"));
  assert.deepEqual(told(text), [
    "agents.a.enabled @4:7 error: must be a boolean.",
    "agents.Big @5:3 error: \"Big\" is not a valid agent name (lowercase letters, digits, dashes, underscores).",
    "agents.c @6:3 error: must be a table/object.",
    "agents.d.prompt_file @9:5 error: v2 agent behavior lives in its .md file.",
    "agents.d.env @10:5 error: use `secrets` instead of `env` in beeuni_version 2 manifests.",
    "agents.d.file @8:5 error: must be a repo-relative path to a `.md` file (e.g. `agents/<name>.md`): no leading \"/\" or \"-\", no \".\" or \"..\" segments, only letters, digits, spaces and `_ . -`.",
    "agents.d.tools @11:5 error: tools string must be \"all\" or \"none\" (or an array of names).",
  ]);
  assert.deepEqual(told(withHead("")), [
    "agents @-:- error: beeuni_version 2 manifests must declare at least one agent under `agents`.",
    "default_agent @2:1 error: default_agent \"a\" does not match any declared agent in `agents`.",
  ]);
  assert.match(told(withHead("agents:\n- name: a\n"))[0]!, /^agents @3:1 error: `agents` must be a map of agent name → agent block in beeuni_version 2/);
});

test("[M-014] default_agent names a declared, enabled agent", () => {
  const of = (value: string): string[] => told(`beeuni_version: 2\ndefault_agent: ${value}\nagents: {a: {}, b: {enabled: false}}\n`);
  assert.deepEqual(of("a"), []);
  assert.deepEqual(of("' '"), ["default_agent @2:1 error: default_agent must be a non-empty string."]);
  assert.deepEqual(of("nobody"), ["default_agent @2:1 error: default_agent \"nobody\" does not match any declared agent in `agents`."]);
  assert.deepEqual(of("b"), [
    "default_agent @2:1 error: default_agent \"b\" is declared with `enabled: false` — a disabled agent can never resolve as the default; the runtime will reject this at session start.",
  ]);
});

test("[M-088] agents.<name>.tools in all its forms; a malformed one gives no tool", () => {
  const access = (value: string): unknown => {
    const { manifest, issues } = read(withHead(`agents:\n  a:\n    tools: ${value}\n`));
    return [manifest?.agents["a"]?.tools, issues.filter(({ severity }) => severity === "error").map(({ message }) => message)];
  };
  assert.deepEqual(access("all"), [{ kind: "all" }, []]);
  assert.deepEqual(access("NONE"), [{ kind: "none" }, []]);
  assert.deepEqual(access("'*'"), [{ kind: "all" }, []]);
  assert.deepEqual(access("[read, '*']"), [{ kind: "all" }, []]);
  assert.deepEqual(access("[]"), [{ kind: "none" }, []]);
  assert.deepEqual(access("[read, ' bash ']"), [{ kind: "only", names: ["read", "bash"] }, []]);
  assert.deepEqual(access("{exclude: [bash]}"), [{ kind: "exclude", names: ["bash"] }, []]);
  assert.deepEqual(access("{exclude: []}"), [{ kind: "all" }, []]);
  assert.deepEqual(access("{bash: false, read: true}"), [{ kind: "exclude", names: ["bash"] }, []]);
  assert.deepEqual(access("[1]"), [{ kind: "none" }, ["tools must be an array of strings, \"all\", or \"none\"."]]);
  assert.deepEqual(access("['']"), [{ kind: "none" }, ["tools entries must be non-empty strings."]]);
  assert.deepEqual(access("5"), [{ kind: "none" }, ["must be \"all\", \"none\", a list of tool names, or `exclude` with a list of tool names."]]);
});

test("[M-072] the tools map: names, paths, Beeuni tools under their own name", () => {
  const of = (entry: string): string[] => told(withAgents(`tools:\n  ${entry}\n`));
  assert.deepEqual(of("crm_note: integrations/crm/note.ts"), []);
  assert.deepEqual(of("web_search: beeuni:image_search"), [
    "tools.web_search @6:3 error: must be `beeuni:web_search` (the Beeuni tool) or a repo-relative path to a .ts or .js module (e.g. `tools/web_search.ts`) that replaces it.",
  ]);
  assert.deepEqual(of("web_serch: beeuni:web_serch"), [
    "tools.web_serch @6:3 error: must be a repo-relative path to a .ts or .js module (e.g. `tools/web_serch.ts`). `beeuni:<name>` names a Beeuni tool under its own name: `web_search: beeuni:web_search`, `image_search: beeuni:image_search`, `scrape_webpage: beeuni:scrape_webpage`, `memory: beeuni:memory`, `show: beeuni:show`.",
  ]);
  for (const path of ["/tools/x.ts", "-x.ts", "./tools/x.ts", "tools/../x.ts", "tools/x.py", "tools//x.ts", "7"]) {
    assert.match(of(`x: ${path}`)[0] ?? "accepted", /^tools\.x @6:3 error: must be a repo-relative path/, path);
  }
  for (const path of ["x.js", "x.mts", "x.mjs", "x.cts", "x.cjs", "a b/ü.ts"]) assert.deepEqual(of(`x: ${path}`), [], path);
  assert.match(of("Web-Search: tools/x.ts")[0]!, /^tools\.Web-Search @6:3 error: "Web-Search" is not a valid tool name/);
  assert.match(of(`${"a".repeat(65)}: tools/x.ts`)[0]!, /is not a valid tool name/);
  assert.deepEqual(of(`${"a".repeat(64)}: tools/x.ts`), []);
  for (const name of ["bash", "read", "question", "plan_exit", "pty_x"]) assert.match(of(`${name}: tools/x.ts`)[0] ?? "accepted", /is the name of a harness tool/, name);
});

test("[M-072] a Beeuni tool that this version can't run, and an agent that lists one that is not loaded, are warned of", () => {
  assert.deepEqual(told(withAgents("tools:\n  show: beeuni:show\n")), ['tools.show @6:3 warning: the Beeuni tool "show" is not in this version: sessions run without it.']);
  const text = withHead("agents:\n  a: {tools: [show, lookup]}\ntools:\n  lookup: tools/lookup.ts\n");
  assert.deepEqual(told(text), [
    "agents.a.tools @4:7 warning: \"show\" is a Beeuni tool this project does not load: add `show: beeuni:show` under the top-level `tools`, or remove it here.",
  ]);
  assert.equal(read(text).valid, true);
  assert.deepEqual(read(withAgents("tools:\n")).manifest?.tools, { isDeclared: true, system: [], modules: [] });
  assert.match(told(withAgents("tools: [x]\n"))[0]!, /^tools @5:1 error: tools must be a map/);
});

test("syntax errors, duplicate keys, lists and alias bombs are one error with its place", () => {
  assert.deepEqual(told("beeuni_version: 2\nagents: {a: \n"), ["<yaml> @2:13 error: Syntax error: Flow map in block collection must be sufficiently indented and end with a }"]);
  assert.deepEqual(told("a: 1\na: 2\n"), ["<yaml> @2:1 error: Syntax error: Map keys must be unique"]);
  assert.deepEqual(told("- a\n"), ["<yaml> @-:- error: beeuni.yaml must be a map of keys (got a list)."]);
  assert.match(told("")[0]!, /^beeuni_version @-:- error: beeuni_version is required/);
  const bomb = `a: &a [1,1,1,1,1,1,1,1,1,1]\n${"bcdef".split("").map((name, index) => `${name}: &${name} [${Array(10).fill(`*${"abcde"[index]}`).join(",")}]`).join("\n")}\n`;
  assert.match(told(bomb)[0]!, /^<yaml> @-:- error: Syntax error: Excessive alias count/);
});

test("a byte-order mark, CRLF and anchors are read, and places stay right", () => {
  const text = "\uFEFFbeeuni_version: 2\r\ndefault_agent: a\r\nbase: &base\r\n  enabled: true\r\nagents:\r\n  a: *base\r\n  b:\r\n    <<: *base\r\n    enabled: 3\r\n";
  assert.deepEqual(told(text), ["agents.b.enabled @9:5 error: must be a boolean."]);
});

test("imports are told as not read", () => {
  assert.deepEqual(told(withAgents("imports: [x.yaml]\n")), ["imports @5:1 warning: imports are not read yet — agents and tools of the imported files are missing here."]);
});
