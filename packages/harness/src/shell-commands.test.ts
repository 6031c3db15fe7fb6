import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitShellLine, withoutAssignments } from "./shell-commands.ts";

const commands = (line: string): string[] => splitShellLine(line).commands.map(({ text }) => text);

test("lists, pipes and groups are several commands", () => {
  assert.deepEqual(commands("git status; rm -rf .\nls"), ["git status", "rm -rf .", "ls"]);
  assert.deepEqual(commands("a && b || c | d |& e & f"), ["a", "b", "c", "d", "e", "f"]);
  assert.deepEqual(commands("(cd x && ls) ; { echo hi; }"), ["cd x", "ls", "echo hi"]);
  assert.deepEqual(commands("if test -f x; then rm x; else ls; fi"), ["test -f x", "rm x", "ls"]);
  assert.deepEqual(commands("for f in *; do rm \"$f\"; done"), ["rm \"$f\""]);
  assert.deepEqual(commands("while ! true; do sleep 1; done"), ["true", "sleep 1"]);
});

test("quotes, escapes, comments and descriptors do not split", () => {
  assert.deepEqual(commands("echo 'a; b' \"c && d\" e\\;f"), ["echo 'a; b' \"c && d\" e\\;f"]);
  assert.deepEqual(commands("make 2>&1 >&2 # ; rm x"), ["make 2>&1 >&2"]);
  assert.deepEqual(commands("echo a#b; ls"), ["echo a#b", "ls"]);
  assert.deepEqual(commands("git log \\\n  --oneline"), ["git log   --oneline"]);
});

test("what is substituted runs too", () => {
  assert.deepEqual(commands("echo $(rm a; ls) `rm b` \"in $(rm c) text\" <(rm d)"),
    ["rm a", "ls", "rm b", "rm c", "rm d", "echo $(rm a; ls) `rm b` \"in $(rm c) text\" <(rm d)"]);
  assert.deepEqual(commands("echo '$(rm a)'"), ["echo '$(rm a)'"]);
  assert.deepEqual(commands("echo $((1 + 2))"), ["echo $((1 + 2))"]);
  assert.deepEqual(commands("echo $(( $(rm a) ))").includes("rm a"), true);
});

test("a here-document is text", () => {
  assert.deepEqual(splitShellLine("cat <<'EOF'\nrm x; $(ls)\nEOF\nls"), { commands: [{ text: "cat <<'EOF'", writesFile: false }, { text: "ls", writesFile: false }], opaque: false });
  assert.deepEqual(commands("cat <<-END | sh\n\trm x\n\tEND"), ["cat <<-END", "sh"]);
  assert.equal(splitShellLine("cat <<EOF\n$(rm x)\nEOF").opaque, true);
  assert.equal(splitShellLine("cat <<EOF\nnever closed").opaque, true);
  assert.deepEqual(commands("cat <<< 'a; b'"), ["cat <<< 'a; b'"]);
});

test("redirections that write a file are seen, others are not", () => {
  const writes = (line: string): boolean => splitShellLine(line).commands.some(({ writesFile }) => writesFile);
  for (const line of ["a > f", "a >> f", "a 2>f", "a &> f", "a &>>f", "a >| f", "a <> f", "a >& f", "a > /dev/nullish"]) assert.equal(writes(line), true, line);
  for (const line of ["a", "a 2>&1", "a >&2", "a > /dev/null", "a 2>/dev/null", "a < f", "a '>' f", "a \\> f", "a 2>&-", "cat << X\nX\n"]) assert.equal(writes(line), false, line);
});

test("what can't be read is opaque", () => {
  for (const line of ["echo 'open", "echo \"open", "echo $(ls", "echo `ls"]) assert.equal(splitShellLine(line).opaque, true, line);
  for (const line of ["echo ok", "echo $(ls)", "", "   ", ";;"]) assert.equal(splitShellLine(line).opaque, false, line);
});

test("assignments in front of a command", () => {
  assert.equal(withoutAssignments("A=1 B='x y' C=\"z z\" rm x"), "rm x");
  assert.equal(withoutAssignments("rm A=1"), null);
  assert.equal(withoutAssignments("A=1"), null);
});

test("property: splitting ends, and a command after a separator is always found", () => {
  const piece = fc.constantFrom("echo", "a", " ", "'x'", "\"y\"", "$(ls)", "\\;", "2>&1", "# c\n", "&&", ";", "|", "(", ")", "$((1))");
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom(";", "&&", "|", "\n", "&"), (pieces, separator) => {
    const { commands: found } = splitShellLine(`${pieces.join(" ")} ${separator} rm -rf x`);
    // A comment swallows the rest of its line, also a separator; only a newline ends it.
    if (separator === "\n" || !/#[^\n]*$/.test(pieces.join(" "))) assert.ok(found.some(({ text }) => text === "rm -rf x"), JSON.stringify(found));
  }), { numRuns: 1000 });
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(..."a '\"`$()<>|&;#\\\n{}!-E"), maxLength: 40 }), (line) => void splitShellLine(line)), { numRuns: 3000 });
});
