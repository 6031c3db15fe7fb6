import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentSpec } from "@beeuni/protocol";
import { parseAgentFile } from "./parse-agent-file.ts";
import { builtInAgent } from "./read-agents.ts";

const parse = (text: string) => parseAgentFile(text, "a", "agents/a.md");
const agent = (fields: Partial<AgentSpec>): AgentSpec => ({ ...builtInAgent("a"), mode: "all", ...fields });
/** `severity line:column path message` of each issue. */
const told = (text: string): string[] => parse(text).issues.map(({ severity, line, column, path, message }) => `${severity} ${line ?? "-"}:${column ?? "-"} ${path} ${message}`);

test("[M-004] every field of the front matter and the body become the agent", () => {
  const text = [
    "---", "name: Somebody Else", "description: Reviews changes", "mode: primary", "model: acme/big/model-1", "variant: high", "temperature: 0.2", "top_p: 0.5",
    "steps: 7", "options:", "  reasoning: {effort: low}", "permission:", "  edit: deny", "  bash:", "    \"*\": ask", "    \"git *\": allow", "  webfetch: ask",
    "color: \"#ff0000\"", "---", "", "You review.", "", "---", "", "Be kind.", "",
  ].join("\n");
  assert.deepEqual(parse(text), {
    isDisabled: false, hasFrontMatter: true, issues: [],
    spec: {
      name: "a", description: "Reviews changes", mode: "primary", prompt: "You review.\n\n---\n\nBe kind.", model: { provider: "acme", id: "big/model-1" },
      variant: "high", temperature: 0.2, topP: 0.5, steps: 7, options: { reasoning: { effort: "low" } },
      permissions: [
        { permission: "edit", pattern: "*", action: "deny" }, { permission: "bash", pattern: "*", action: "ask" },
        { permission: "bash", pattern: "git *", action: "allow" }, { permission: "webfetch", pattern: "*", action: "ask" },
      ],
      tools: { kind: "all" },
    },
  });
});

test("a file without front matter is all prompt; so is one that begins with a rule", () => {
  for (const text of ["You are kind.", "---\n\nYou are kind.", "---\n# Title\n---\nprose", "---\n\nProse between rules, 50% of it.\n\n---\nmore"]) {
    assert.deepEqual(parse(text), { spec: agent({ prompt: text.trim() }), isDisabled: false, hasFrontMatter: false, issues: [] }, text);
  }
});

test("byte-order marks are not here, but blank lines before, an empty front matter, `...` and trailing blanks are read", () => {
  for (const head of ["---\nvariant: x\n---\n", "\n\n---  \nvariant: x\n---\t\n", "---\nvariant: x\n...\n", "---\n# a comment\nvariant: x\n---\n"]) {
    assert.deepEqual(parse(`${head}Body`).spec, agent({ variant: "x", prompt: "Body" }), head);
  }
  assert.deepEqual(parse("---\n---\nBody").spec, agent({ prompt: "Body" }));
  assert.deepEqual(parse("---\nvariant: x\n---").spec, agent({ variant: "x" }));
});

test("a second `: ` in an unquoted value is read whole, with a warning at its line", () => {
  const text = "---\nvariant: x\ndescription: Use this: it helps. Examples: <a>one</a>\nmode: subagent\n---\nBody";
  assert.deepEqual(parse(text).spec, agent({ description: "Use this: it helps. Examples: <a>one</a>", variant: "x", mode: "subagent", prompt: "Body" }));
  assert.deepEqual(told(text), ["warning 3:1 <front matter> line 3 has a second `: ` in the unquoted value of `description`: read whole; put the value in quotes"]);
});

test("a value over several lines is read whole too, and later places stay right", () => {
  const text = "---\ndescription: First: line\n  goes on: here\n\n  and here\ntemperature: hot\n---\nBody";
  assert.deepEqual(told(text), [
    "warning 2:1 <front matter> line 2 has a second `: ` in the unquoted value of `description`: read whole; put the value in quotes",
    "error 6:1 temperature must be a number.",
  ]);
  assert.equal(parse(text.replace("hot", "1")).spec?.description, "First: line goes on: here  and here");
});

test("block texts, quoted texts and nested maps beside a bad line are left as they are", () => {
  const text = [
    "---", "description: >-", "  Folded: with colon", "  *and more*", "options:", "  note: 'it: is'", "  deep: {a: 1}", "variant: a: b", "permission:", "  bash:", "    \"rm *\": deny", "---", "",
  ].join("\n");
  assert.deepEqual(parse(text).spec, agent({
    description: "Folded: with colon *and more*", options: { note: "it: is", deep: { a: 1 } }, variant: "a: b", permissions: [{ permission: "bash", pattern: "rm *", action: "deny" }],
  }));
});

test("an unquoted `*` is read as text: as a value, a key and in a list", () => {
  const text = "---\ndescription: *everything*\npermission:\n  bash:\n    *: ask\n    git *: allow\n    *.sh: deny\noptions: {globs: [*.ts, b]}\n---\nBody";
  const { spec, issues } = parse(text);
  assert.deepEqual(spec, agent({
    description: "*everything*", prompt: "Body", options: { globs: ["*.ts", "b"] },
    permissions: [{ permission: "bash", pattern: "*", action: "ask" }, { permission: "bash", pattern: "git *", action: "allow" }, { permission: "bash", pattern: "*.sh", action: "deny" }],
  }));
  assert.deepEqual(issues.map(({ severity, line }) => `${severity} ${line}`), ["warning 2", "warning 5", "warning 7", "warning 8"]);
});

test("tabs as indentation are read as spaces", () => {
  const text = "---\npermission:\n\tbash: deny\n---\n";
  assert.deepEqual(parse(text).spec?.permissions, [{ permission: "bash", pattern: "*", action: "deny" }]);
  assert.deepEqual(told(text), ["warning 3:1 <front matter> line 3 is indented with a tab, which YAML does not allow: read as two spaces"]);
});

test("front matter that can't be used says why and where, and gives no agent", () => {
  assert.deepEqual(told("---\nname: a\nmodel: x/y\n\n# Title"), ["error 1:1 <front matter> the front matter is not closed: a line `---` is missing after its keys"]);
  assert.deepEqual(told("---\n- a\n- b\n---\nBody"), ["error 2:1 <front matter> the front matter must be a map of keys (got a list)"]);
  assert.deepEqual(told("\n---\nname: a\nx: [1, 2\n---\nBody"), ["error 4:9 <front matter> the front matter is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]"]);
  assert.deepEqual(told("---\na: 1\na: 2\n---\n"), ["error 3:1 <front matter> the front matter is not valid YAML: Map keys must be unique"]);
  for (const text of ["---\nname: a\n", "---\n- a\n---\n", "---\nx: [1\n---\n"]) assert.equal(parse(text).spec, null);
});

test("wrong values are told at their places, all at once", () => {
  const text = "---\nmode: boss\ntemperature: warm\ntop_p: [1]\nsteps: 0\ndisable: maybe\noptions: 3\ndescription: {a: 1}\npermission:\n  bash: sometimes\n  edit: [a]\n  question: {x: ask}\n  read: {a: never}\n---\n";
  assert.deepEqual(told(text), [
    "error 8:1 description must be a string.",
    "error 2:1 mode mode must be one of: primary, subagent, all (got \"boss\").",
    "error 3:1 temperature must be a number.",
    "error 4:1 top_p must be a number.",
    "error 5:1 steps must be a positive integer.",
    "error 7:1 options must be a map.",
    "error 10:3 permission.bash must be one of: ask, allow, deny (got \"sometimes\").",
    "error 11:3 permission.edit must be an action (\"ask\" | \"allow\" | \"deny\") or a map of glob-pattern to action.",
    "error 12:3 permission.question must be one of: ask, allow, deny (got {\"x\":\"ask\"}).",
    "error 13:10 permission.read.a must be one of: ask, allow, deny (got \"never\").",
    "error 6:1 disable must be a boolean.",
  ]);
  assert.equal(parse(text).spec, null);
  assert.deepEqual(told("---\npermission: 3\n---\n"), ["error 2:1 permission permission must be an action (\"ask\" | \"allow\" | \"deny\") or a permission object (read, edit, bash, …)."]);
});

test("a whole-agent action is a rule for everything", () => {
  assert.deepEqual(parse("---\npermission: deny\n---\n").spec?.permissions, [{ permission: "*", pattern: "*", action: "deny" }]);
});

test("`permissions` is read as `permission` and named", () => {
  assert.deepEqual(parse("---\npermissions: {bash: deny}\n---\n").spec?.permissions, [{ permission: "bash", pattern: "*", action: "deny" }]);
  assert.deepEqual(told("---\npermissions: {bash: deny}\n---\n"), ["warning 2:1 permissions `permissions` is read as `permission`: rename the key."]);
  assert.deepEqual(parse("---\npermission: {bash: ask}\npermissions: {bash: deny}\n---\n").spec?.permissions, [{ permission: "bash", pattern: "*", action: "ask" }]);
});

test("`tools` as a comma string, a list or a map limits the agent's tools", () => {
  const limit = (value: string): unknown => parse(`---\ntools: ${value}\n---\n`).spec?.tools;
  assert.deepEqual(limit("Read, Grep,Bash"), { kind: "only", names: ["read", "grep", "bash"] });
  assert.deepEqual(limit("[Read, \"WebFetch\"]"), { kind: "only", names: ["read", "webfetch"] });
  assert.deepEqual(limit("{bash: false, write: true}"), { kind: "exclude", names: ["bash"] });
  assert.deepEqual(limit("{\"*\": false, Read: true}"), { kind: "only", names: ["read"] });
  assert.deepEqual(limit("{\"*\": false}"), { kind: "none" });
  assert.deepEqual(limit("\"*\""), { kind: "all" });
  assert.deepEqual(limit(""), { kind: "all" });
  assert.deepEqual(limit("[]"), { kind: "none" });
  assert.deepEqual(limit("Bash(git add:*, git commit:*), Read"), { kind: "only", names: ["bash", "read"] });
  assert.deepEqual(told("---\ntools: Bash(git:*), Read\n---\n"), [
    "warning 2:1 tools `tools` is deprecated upstream — use `permission` instead. Until then it limits the agent's tools.",
    "warning 2:1 tools the limits in parentheses are not read (Bash(git:*)): write them as `permission` rules.",
  ]);
  assert.deepEqual(told("---\ntools: [1]\n---\n"), ["error 2:1 tools `tools` is deprecated upstream — use `permission` instead."]);
});

test("a model without provider is told, `inherit` is not; `maxSteps` counts as steps", () => {
  assert.deepEqual(told("---\nmodel: sonnet\n---\n"), ["warning 2:1 model \"sonnet\" is not a `provider/model` id: the agent runs on the session's model."]);
  assert.deepEqual(parse("---\nmodel: inherit\n---\n"), { spec: agent({}), isDisabled: false, hasFrontMatter: true, issues: [] });
  assert.equal(parse("---\nmaxSteps: 3\n---\n").spec?.steps, 3);
  assert.deepEqual(told("---\nmaxSteps: 3\n---\n"), ["warning 2:1 maxSteps `maxSteps` is deprecated upstream — use `steps` instead."]);
});

test("a prompt of 45 KB and values with numbers for texts are read", () => {
  const prompt = "A long line of instructions.\n".repeat(1600).trim();
  assert.deepEqual(parse(`---\ndescription: 42\nvariant: true\n---\n${prompt}`).spec, agent({ description: "42", variant: "true", prompt }));
});
