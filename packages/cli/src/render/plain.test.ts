import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine, visible } from "./plain.ts";

test("nothing that a model or a tool says can act on the terminal", () => {
  assert.equal(visible("\x1b]52;c;aGk=\x07red\x1b[31m\x9b1A\x7f\ttab\r\nnext\rover"), "␛]52;c;aGk=␇red␛[31m\ufffd1A␡\ttab\nnext␍over");
});

test("oneLine folds white space", () => {
  assert.equal(oneLine("  a\n\tb\r\n c\x1b "), "a b c␛");
});
