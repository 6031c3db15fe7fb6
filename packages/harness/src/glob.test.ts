import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isLiteral, matchesGlob } from "./glob.ts";

test("the glob's words: any text, any one character, slashes, the optional ending", () => {
  const cases: [string, string, boolean][] = [
    ["*", "", true], ["*", "a\nb/c", true], ["src/*", "src/a/b.ts", true], ["src/*", "src", false], ["a?c", "abc", true], ["a?c", "ac", false], ["?", "😀", true],
    ["ls *", "ls", true], ["ls *", "ls -la", true], ["ls *", "lsof", false], ["ls*", "lsof", true], ["ls *", "ls ", true], [" *", "", true],
    ["a\\b", "a/b", true], ["a/b", "a\\b", true], ["a.b", "axb", false], ["", "", true], ["", "a", false], ["git", "git status", false],
    ["*a*b", "xaxbxb", true], ["*a*b", "xaxbx", false], ["(a|b)", "a", false], ["[a]", "a", false],
  ];
  for (const [pattern, subject, expected] of cases) assert.equal(matchesGlob(pattern, subject), expected, `${pattern} on ${subject}`);
});

const letters = fc.array(fc.constantFrom("a", "b", " ", "/", "\\", "*", "?", "\n"), { maxLength: 10 }).map((list) => list.join(""));

/** The same meaning by another way: a regular expression. */
function byRegExp(pattern: string, subject: string): boolean {
  const [wanted, given] = [pattern.replaceAll("\\", "/"), subject.replaceAll("\\", "/")];
  const source = (text: string): string => [...text].map((char) => (char === "*" ? "[^]*" : char === "?" ? "[^]" : char.replace(/[.+^${}()|[\]/]/g, "\\$&"))).join("");
  const whole = (text: string): boolean => new RegExp(`^${source(text)}$`, "u").test(given);
  return whole(wanted) || (wanted.endsWith(" *") && whole(wanted.slice(0, -2)));
}

test("property: it decides as the regular expression of the same meaning does", () => {
  fc.assert(fc.property(letters, letters, (pattern, subject) => {
    assert.equal(matchesGlob(pattern, subject), byRegExp(pattern, subject));
  }), { numRuns: 3000 });
});

test("property: a subject matches itself, what a `*` stands for is free, a literal matches one subject only", () => {
  fc.assert(fc.property(letters, letters, letters, (before, middle, after) => {
    const subject = before + middle + after;
    assert.ok(matchesGlob(subject, subject));
    assert.ok(matchesGlob(`${before}*${after}`, subject));
    const literal = before.replace(/[*?]/g, "x");
    assert.ok(isLiteral(literal));
    assert.equal(matchesGlob(literal, subject), literal.replaceAll("\\", "/") === subject.replaceAll("\\", "/"));
  }));
});

test("many stars do not blow up", () => {
  const started = performance.now();
  assert.equal(matchesGlob("*a".repeat(40), "b".repeat(20_000)), false);
  assert.ok(performance.now() - started < 1000);
});
