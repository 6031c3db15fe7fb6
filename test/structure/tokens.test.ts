import assert from "node:assert/strict";
import { test } from "node:test";
import { importsOf, isComment, tokenize } from "./tokens.ts";

test("every form of import is found, and nothing in a string or a comment", () => {
  const source = [
    'import a from "a";', "import type {", "  B,", "} from 'b';", 'import "c";', 'export * from "d";', 'export type { E } from "e";',
    'const f = await import("f");', 'type G = import("g").G;', 'const h = require("h");', 'import.meta.resolve("i");',
    '// import x from "comment";', 'const s = `import y from "template" ${await import("j")} from "tail"`;', 'const t = \'import z from "string"\';',
    'const r = /"from "quoted"/; import k from "k";', "const n = 4 / 2; /* from 'comment' */ const m = n / 3;",
    "const late = { from: 'no' }; resolve('no');",
  ].join("\n");
  assert.deepEqual(
    importsOf(source).map(({ specifier, line, from }) => [specifier, line, from]),
    [["a", 1, 1], ["b", 4, 2], ["c", 5, 5], ["d", 6, 6], ["e", 7, 7], ["f", 8, 8], ["g", 9, 9], ["h", 10, 10], ["i", 11, 11], ["j", 13, 13], ["k", 15, 15]],
  );
  assert.deepEqual(tokenize(source).filter(isComment).map(({ text, line }) => [text, line]), [
    ['// import x from "comment";', 12], ["/* from 'comment' */", 16],
  ]);
});
