import assert from "node:assert/strict";
import { test } from "node:test";
import { truncate, width, wrap } from "./width.ts";

test("width counts columns, not characters", () => {
  assert.deepEqual(["abc", "日本", "👩‍👩‍👧‍👦", "e\u0301", "● ok …"].map(width), [3, 4, 2, 1, 6]);
});

test("truncate ends with … inside the columns and never halves a character", () => {
  assert.deepEqual(
    [truncate("abcdef", 6), truncate("abcdef", 5), truncate("日本語", 5), truncate("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3), truncate("abc", 0)],
    ["abcdef", "abcd…", "日本…", "👩‍👩‍👧‍👦…", ""],
  );
});

test("wrap breaks at spaces and leaves long words whole", () => {
  assert.deepEqual(wrap("one two-and-three four\n\nfive", 9), ["one", "two-and-three", "four", "", "five"]);
});
