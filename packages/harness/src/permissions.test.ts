import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PermissionAction, PermissionRule, ToolAccess } from "@beeuni/protocol";
import type { PermissionDialect } from "./contract.ts";
import type { Grant } from "./grants.ts";
import { decidePermission, type PermissionCall, type PermissionDecision } from "./permissions.ts";

const dialect: PermissionDialect = {
  order: "longest-wins", unaskable: [], keys: { write: ["write", "edit"], web: ["websearch"] }, subject: { bash: "command", skill: "name", question: null },
};
const lastWins: PermissionDialect = { ...dialect, order: "last-wins" };

type Tree = { [key: string]: PermissionAction | { [pattern: string]: PermissionAction } };
const rules = (tree: Tree): PermissionRule[] => Object.entries(tree).flatMap(([permission, setting]) =>
  Object.entries(typeof setting === "string" ? { "*": setting } : setting).map(([pattern, action]) => ({ permission, pattern, action })));

function decide(tree: Tree, call: PermissionCall, { tools = { kind: "all" }, grants = [], using = dialect }: { tools?: ToolAccess; grants?: Grant[]; using?: PermissionDialect } = {}): PermissionDecision {
  return decidePermission({ dialect: using, agent: { name: "a", permissions: rules(tree), tools }, workspace: "/work" }, call, grants);
}
const bash = (command: string): PermissionCall => ({ tool: "bash", input: { command } });
const edit = (path: string): PermissionCall => ({ tool: "edit", input: { path } });
const act = (...args: Parameters<typeof decide>): PermissionAction => decide(...args).action;

test("[H-050] no rule allows; a rule of the tool's key decides; the whole-agent action is for every tool", () => {
  assert.deepEqual(decide({}, bash("ls")), { action: "allow", permission: "bash", rule: null, by: "default" });
  assert.deepEqual(decide({ bash: "deny" }, bash("ls")),
    { action: "deny", permission: "bash", rule: { permission: "bash", pattern: "*", action: "deny" }, by: "rule", message: "The project policy denies this bash call." });
  assert.deepEqual(decide({ "*": "deny" }, { tool: "anything", input: {} }),
    { action: "deny", permission: "anything", rule: { permission: "*", pattern: "*", action: "deny" }, by: "rule", message: "The project policy denies this anything call." });
  assert.deepEqual(decide({ "*": "deny", read: "allow" }, { tool: "read", input: { path: "x" } }),
    { action: "allow", permission: "read", rule: { permission: "read", pattern: "*", action: "allow" }, by: "rule" });
});

test("[H-051] `ask` says what asks, about what, and what an always would store", () => {
  assert.deepEqual(decide({ bash: "ask" }, bash("git status --short")), {
    action: "ask", permission: "bash", rule: { permission: "bash", pattern: "*", action: "ask" }, patterns: ["git status --short"], always: ["git status *"],
  });
  assert.deepEqual(decide({ "*": "ask" }, { tool: "lookup", input: { q: 1 } }), {
    action: "ask", permission: "lookup", rule: { permission: "*", pattern: "*", action: "ask" }, patterns: [], always: ["*"],
  });
  assert.deepEqual(decide({ edit: "ask" }, { tool: "write", input: { path: "src/a/b.ts" } }), {
    action: "ask", permission: "edit", rule: { permission: "edit", pattern: "*", action: "ask" }, patterns: ["src/a/b.ts"], always: ["src/a/*"],
  });
});

test("a tool's own key comes before the keys that it shares, and `*` is last", () => {
  const write: PermissionCall = { tool: "write", input: { path: "x" } };
  assert.equal(act({ "*": "deny", edit: "ask", write: "allow" }, write), "allow");
  assert.equal(act({ "*": "deny", edit: "ask" }, write), "ask");
  assert.equal(act({ "*": "deny" }, write), "deny");
  assert.equal(act({ websearch: "deny" }, { tool: "web", input: {} }), "deny");
  assert.equal(act({ memory: "allow", edit: "deny" }, { tool: "memory", input: {}, keys: ["memory", "edit"] }), "allow");
  assert.equal(act({ edit: "deny" }, { tool: "memory", input: {}, keys: ["memory", "edit"] }), "deny");
});

test("a key whose patterns all miss leaves the decision to the next key", () => {
  assert.equal(act({ "*": "deny", bash: { "git *": "allow" } }, bash("ls")), "deny");
  assert.equal(act({ bash: { "git *": "allow" } }, bash("ls")), "allow");
  assert.equal(act({ edit: { "*.md": "deny" }, write: { "*.ts": "allow" } }, { tool: "write", input: { path: "a.md" } }), "deny");
});

test("[H-050] longest-wins: the order in the file does not matter", () => {
  const patterns: [string, PermissionAction][] = [["*", "deny"], ["git *", "ask"], ["git status *", "allow"]];
  for (const order of [patterns, patterns.toReversed(), [patterns[1]!, patterns[0]!, patterns[2]!]]) {
    const tree = { bash: Object.fromEntries(order) };
    assert.deepEqual([act(tree, bash("git status -s")), act(tree, bash("git status")), act(tree, bash("git push")), act(tree, bash("ls"))], ["allow", "allow", "ask", "deny"]);
  }
});

test("last-wins: the later rule is the stronger, whatever its key", () => {
  const ask = { using: lastWins };
  assert.equal(act({ bash: { "git *": "allow", "*": "deny" } }, bash("git x"), ask), "deny");
  assert.equal(act({ bash: { "*": "deny", "git *": "allow" } }, bash("git x"), ask), "allow");
  assert.equal(act({ bash: "deny", "*": "allow" }, bash("ls"), ask), "allow");
  assert.equal(act({ "*": "allow", bash: "deny" }, bash("ls"), ask), "deny");
  assert.equal(act({ "my_*": "deny" }, { tool: "my_tool", input: {} }, ask), "deny");
});

test("a shell line is as good as its worst command", () => {
  const tree: Tree = { bash: { "*": "ask", "git *": "allow", "rm *": "deny" } };
  assert.equal(act(tree, bash("git status && git diff | git apply")), "allow");
  assert.deepEqual(decide(tree, bash("git status; npm run build; curl x")), {
    action: "ask", permission: "bash", rule: { permission: "bash", pattern: "*", action: "ask" }, patterns: ["npm run build", "curl x"], always: ["npm run build *", "curl *"],
  });
  for (const line of ["git x; rm y", "git x && rm y", "echo $(rm y)", "git commit -m \"`rm y`\"", "A=1 rm y", "(rm y)", "if git x; then rm y; fi"]) assert.equal(act(tree, bash(line)), "deny", line);
  assert.equal(act(tree, bash("GIT_SSH_COMMAND=evil git fetch")), "ask");
  assert.equal(act(tree, bash("git log 'unclosed")), "ask");
  assert.equal(act({ bash: { "git *": "allow" } }, bash("git log 'unclosed")), "ask");
});

test("a rule may speak for a whole line: as it is written, or by what it matches across commands", () => {
  assert.equal(act({ bash: { "*": "deny", "make && make test": "allow" } }, bash("make && make test")), "allow");
  assert.equal(act({ bash: { "* | sh": "deny" } }, bash("curl x | sh")), "deny");
  assert.equal(act({ bash: { "*": "allow" } }, bash("a; b 'unclosed")), "allow");
});

test("paths are the same file in every spelling, and `..` gets nowhere", () => {
  const tree: Tree = { edit: { "*": "deny", "src/*": "allow", "/etc/hosts": "ask" } };
  for (const path of ["src/a.ts", "./src/a.ts", "/work/src/a.ts", "src/x/../a.ts", "src\\a.ts"]) assert.equal(act(tree, edit(path)), "allow", path);
  for (const path of ["src/../secret", "/work/../other/src/a", "../src/a.ts", "a.ts", "/src/a.ts"]) assert.equal(act(tree, edit(path)), "deny", path);
  assert.equal(act(tree, edit("../etc/hosts")), "ask");
  assert.equal(act({ edit: { "/work/src/*": "deny" } }, edit("src/a.ts")), "deny");
  assert.equal(act({ edit: { "./src/*": "deny" } }, edit("src/a.ts")), "deny");
  assert.equal(act({ edit: { "*": "allow", "b/*": "deny" } }, { tool: "edit", input: { path: ["a/x", "b/x"] } }), "deny");
});

test("a path outside the workspace must pass the rules of external_directory too", () => {
  const outside = edit("/etc/hosts");
  assert.deepEqual([act({}, outside), act({ "*": "allow" }, outside), act({ external_directory: "allow" }, outside)], ["allow", "allow", "allow"]);
  assert.deepEqual([act({ external_directory: "deny" }, outside), act({ edit: "allow", external_directory: "deny" }, edit("../x")), act({ edit: "deny", external_directory: "allow" }, outside)], ["deny", "deny", "deny"]);
  assert.equal(act({ external_directory: { "*": "deny", "/etc/*": "allow" } }, outside), "allow");
  assert.equal(act({ external_directory: "deny" }, edit("src/x")), "allow");
  assert.equal(act({ external_directory: "deny" }, outside, { using: lastWins }), "deny");
  const asked = decide({ external_directory: "ask" }, outside);
  assert.deepEqual(asked, { action: "ask", permission: "external_directory", rule: { permission: "external_directory", pattern: "*", action: "ask" }, patterns: ["/etc/hosts"], always: ["/etc/*"] });
  const always = (permission: string): Grant[] => [{ agent: "a", permission, pattern: "/etc/*" }];
  assert.equal(act({ external_directory: "ask" }, outside, { grants: always("external_directory") }), "allow");
  assert.equal(act({ external_directory: "ask" }, outside, { grants: always("edit") }), "ask");
  assert.equal((decide({ edit: "ask", external_directory: "ask" }, outside, { grants: always("edit") }) as { permission: string }).permission, "external_directory");
});

test("a path with a backslash must be allowed however it is read", () => {
  const write = (path: string): PermissionCall => ({ tool: "edit", input: { path } });
  for (const path of ["../x\\..\\work/evil", "/tmp/x\\..\\..\\..\\work\\f", "a\\..\\..\\x"]) assert.equal(act({ external_directory: "deny" }, write(path)), "deny", path);
  assert.equal(act({ edit: { "*": "deny", "src/*": "allow" } }, write("secret/x\\..\\..\\src/a")), "deny");
  assert.equal(act({ edit: { "secret/*": "deny" } }, write("secret\\key")), "deny");
  assert.equal(act({ external_directory: "deny" }, write("src\\a")), "allow");
});

test("without a subject a narrow rule that is no allow asks, and a general deny denies", () => {
  const call: PermissionCall = { tool: "question", input: { path: "ignored" } };
  assert.equal(act({ question: { x: "deny" } }, call), "ask");
  assert.equal(act({ question: { x: "ask", "*": "allow" } }, call), "ask");
  assert.equal(act({ question: { x: "allow", "*": "allow" } }, call), "allow");
  assert.equal(act({ question: { x: "allow" } }, call), "allow");
  assert.equal(act({ question: { x: "ask", "*": "deny" } }, call), "deny");
  assert.equal(act({ bash: { "rm *": "deny" } }, { tool: "bash", input: {} }), "ask");
  assert.equal(act({ bash: { "rm *": "deny" } }, { tool: "bash", input: { command: 7 } }), "ask");
  assert.equal(act({ "*": "deny", question: { x: "allow" } }, call), "deny");
});

test("[H-047] [H-048] [H-049] a tool outside the agent's access is denied, whatever its rules", () => {
  const allowed = (tools: ToolAccess): PermissionAction[] => ["bash", "read"].map((tool) => act({ "*": "allow" }, { tool, input: {} }, { tools }));
  assert.deepEqual(allowed({ kind: "none" }), ["deny", "deny"]);
  assert.deepEqual(allowed({ kind: "only", names: ["read"] }), ["deny", "allow"]);
  assert.deepEqual(allowed({ kind: "exclude", names: ["bash"] }), ["deny", "allow"]);
  assert.deepEqual(allowed({ kind: "all" }), ["allow", "allow"]);
  assert.deepEqual(decide({ bash: "allow" }, bash("ls"), { tools: { kind: "none" }, grants: [{ agent: "a", permission: "*", pattern: "*" }] }),
    { action: "deny", permission: "bash", rule: null, by: "tools", message: "The project policy denies this bash call." });
});

test("an `ask` of a key that can't ask denies", () => {
  const using = { ...dialect, unaskable: ["websearch"] };
  const call: PermissionCall = { tool: "web", input: {} };
  for (const tree of [{ websearch: "ask" }, { web: "ask" }, { "*": "ask" }] as Tree[]) {
    const decision = decide(tree, call, { using, grants: [{ agent: "a", permission: "*", pattern: "*" }] });
    assert.deepEqual([decision.action, decision.action === "deny" && decision.by], ["deny", "unaskable"]);
  }
  assert.equal(act({ websearch: "allow" }, call, { using }), "allow");
});

test("a stored always answers the same agent's ask, and nothing else", () => {
  const tree: Tree = { bash: { "*": "ask", "rm *": "deny" } };
  const grants: Grant[] = [{ agent: "a", permission: "bash", pattern: "git status *" }, { agent: "a", permission: "bash", pattern: "rm *" }, { agent: "b", permission: "bash", pattern: "*" }];
  assert.deepEqual(decide(tree, bash("git status -s"), { grants }), { action: "allow", permission: "bash", rule: { permission: "bash", pattern: "*", action: "ask" }, by: "grant" });
  assert.equal(act(tree, bash("git push"), { grants }), "ask");
  assert.equal(act(tree, bash("rm x"), { grants }), "deny");
  assert.equal(act(tree, bash("git status; rm x"), { grants }), "deny");
  assert.deepEqual((decide(tree, bash("git status; git push"), { grants }) as { patterns: string[] }).patterns, ["git push"]);
});

test("a stored pattern does not stretch to what the person did not see", () => {
  const grants: Grant[] = [{ agent: "a", permission: "bash", pattern: "echo *" }];
  const ask = (command: string): PermissionAction => act({ bash: "ask" }, bash(command), { grants });
  assert.deepEqual([ask("echo hi"), ask("echo hi > /dev/null"), ask("echo hi 2>&1")], ["allow", "allow", "allow"]);
  assert.deepEqual([ask("echo x > ~/.profile"), ask("echo $(curl evil)"), ask("echo 'unclosed"), ask("echo a; curl b"), ask("PATH=. echo a")], Array(5).fill("ask"));
  const exact: Grant[] = [{ agent: "a", permission: "bash", pattern: "echo x > out" }];
  assert.equal(act({ bash: "ask" }, bash("echo x > out"), { grants: exact }), "allow");
  assert.equal(act({ bash: "ask" }, bash("anything > out"), { grants: [{ agent: "a", permission: "bash", pattern: "*" }] }), "allow");
});

test("an always for one key covers the tools of that key", () => {
  const grants: Grant[] = [{ agent: "a", permission: "edit", pattern: "src/*" }];
  assert.equal(act({ edit: "ask" }, { tool: "write", input: { path: "src/x" } }, { grants }), "allow");
  assert.equal(act({ edit: "ask" }, { tool: "write", input: { path: "src/../x" } }, { grants }), "ask");
  assert.equal(act({ "*": "ask" }, { tool: "read", input: { path: "src/x" } }, { grants }), "ask");
});

const pattern = fc.constantFrom("*", "git *", "git status *", "rm *", "ls", "* | sh");
const rule = fc.record({ permission: fc.constantFrom("bash", "*", "edit"), pattern, action: fc.constantFrom<PermissionAction>("allow", "ask", "deny") });
const line = fc.array(fc.constantFrom("git status", "rm x", "ls", "echo a > b", "sh"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" | "));
const grant = fc.record({ agent: fc.constantFrom("a", "b"), permission: fc.constantFrom("bash", "*"), pattern });

test("property: grants never turn a deny into anything, and only ever turn ask into allow", () => {
  fc.assert(fc.property(fc.array(rule, { maxLength: 6 }), line, fc.array(grant, { maxLength: 4 }), fc.constantFrom(dialect, lastWins), (permissions, command, grants, using) => {
    const policy = { dialect: using, agent: { name: "a", permissions, tools: { kind: "all" } as const }, workspace: "/work" };
    const without = decidePermission(policy, bash(command)).action;
    const granted = decidePermission(policy, bash(command), grants).action;
    assert.ok(granted === without || (without === "ask" && granted === "allow"), `${without} → ${granted}`);
  }), { numRuns: 2000 });
});

test("property: longest-wins does not depend on the order of rules with different patterns", () => {
  const distinct = fc.uniqueArray(rule, { selector: ({ permission, pattern: text }) => `${permission}:${text}`, maxLength: 8 });
  fc.assert(fc.property(distinct.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))), line, ([list, shuffled], command) => {
    const action = (permissions: PermissionRule[]): PermissionAction =>
      decidePermission({ dialect, agent: { name: "a", permissions, tools: { kind: "all" } }, workspace: "/work" }, bash(command)).action;
    assert.equal(action(shuffled), action(list));
  }), { numRuns: 1000 });
});

test("property: adding a command to a line never makes its verdict milder", () => {
  const strictness = { allow: 0, ask: 1, deny: 2 };
  fc.assert(fc.property(fc.array(rule.filter(({ pattern: text }) => text !== "ls"), { maxLength: 6 }), line, fc.constantFrom("rm x", "git status", "sh"), (permissions, command, more) => {
    const policy = { dialect, agent: { name: "a", permissions, tools: { kind: "all" } as const }, workspace: "/work" };
    const [one, both] = [decidePermission(policy, bash(more)).action, decidePermission(policy, bash(`${command} | ${more}`)).action];
    assert.ok(strictness[both] >= strictness[one], `${one} → ${both}`);
  }), { numRuns: 1000 });
});
