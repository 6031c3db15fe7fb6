import assert from "node:assert/strict";
import { test } from "node:test";
import { alwaysPattern, isGranted, parseGrantPattern } from "./grants.ts";
import { subjectsOf } from "./subject.ts";

const dialect = { order: "longest-wins", unaskable: [], keys: {}, subject: { bash: "command", skill: "name" } } as const;
const subjects = (tool: string, input: { [key: string]: unknown }) => subjectsOf(tool, input, dialect, "/work")!.flatMap(({ whole, commands }) => (commands.length > 0 ? commands : [whole]));
const stored = (command: string): string | null => alwaysPattern(subjects("bash", { command })[0]!);

test("what an always stores for a command: the program and its sub-command", () => {
  assert.deepEqual(["git status --short", "ls -la", "npm test", "npm run build -- --watch", "docker ps", "./gradlew test", "cargo build"].map(stored),
    ["git status *", "ls *", "npm test *", "npm run build *", "docker ps *", "./gradlew *", "cargo build *"]);
});

test("what runs anything, writes a file or can't be read is stored as it is", () => {
  for (const command of ["bash -c 'x'", "python a.py", "sudo ls", "env A=1 x", "xargs rm", "/usr/bin/python3 x", "find . -delete", "git -C x status", "npm run", "echo a > b", "echo 'open", "$CMD x", "A=1 ls", "python3.12 x", "/opt/perl5.36 x", "gawk x", "export A=1", "trap x EXIT", "docker exec box sh", "kubectl run x"]) {
    assert.equal(stored(command), command);
  }
});

test("what would have to be stored as it is, and reads as a wider pattern, is not stored", () => {
  const commands = ["sh -c \"rm *.tmp\"", "python3 -c 'print(2*3)'", "find . -name '*.ts'", "echo a? > b", "bash run.sh ?"];
  assert.deepEqual(commands.map(stored), commands.map(() => null));
  assert.deepEqual(["ls *.ts", "git add a?", "rm a?"].map(stored), ["ls *", "git add *", "rm *"]);
  assert.equal(alwaysPattern(subjects("edit", { path: "a*/b" })[0]!), null);
  // Control: the pattern that is not stored would have covered another command.
  const other = subjects("bash", { command: "sh -c \"rm -rf ~; echo .tmp\"" })[0]!;
  assert.equal(isGranted([{ agent: "a", permission: "bash", pattern: commands[0]! }], "a", ["bash"], other), true);
});

test("what an always stores for other subjects", () => {
  const of = (tool: string, input: { [key: string]: unknown }): string | null => alwaysPattern(subjects(tool, input)[0]!);
  assert.deepEqual([of("edit", { path: "src/a/b.ts" }), of("edit", { path: "README.md" }), of("edit", { path: "/work/x/y" }), of("edit", { path: "/etc/passwd" }), of("edit", { path: "/x" }), of("skill", { name: "pdf" }), alwaysPattern(null)],
    ["src/a/*", "README.md", "x/*", "/etc/*", "/x", "pdf", "*"]);
});

test("what is stored covers what it was stored for", () => {
  for (const command of ["git status", "git status -s", "ls", "bash -c 'x'", "echo a > b", "npm run build", "A=1 ls"]) {
    const [subject] = subjects("bash", { command });
    assert.ok(isGranted([{ agent: "a", permission: "bash", pattern: alwaysPattern(subject!)! }], "a", ["bash"], subject!), command);
  }
});

test("patterns as people write them", () => {
  assert.deepEqual(["bash: git status *", "bash:ls", "edit", " edit : src/* ", "*", "bash: a: b", "git status *"].map(parseGrantPattern), [
    { permission: "bash", pattern: "git status *" }, { permission: "bash", pattern: "ls" }, { permission: "edit", pattern: "*" }, { permission: "edit", pattern: "src/*" },
    { permission: "*", pattern: "*" }, { permission: "bash", pattern: "a: b" }, { permission: "git status *", pattern: "*" },
  ]);
});
