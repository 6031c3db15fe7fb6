import assert from "node:assert/strict";
import { test } from "node:test";
import { usageLine } from "./usage-line.ts";

const usage = { input: 1204, output: 88, reasoning: 0, cacheRead: 500, cacheWrite: 12 };
const cost = { harness: "pi 1.6.0", model: "faux/demo", usage, elapsed: 3210 };

test("the usage line says harness, model, tokens and time", () => {
  assert.equal(usageLine(cost, 80), "pi 1.6.0 · faux/demo · in 1,204 · out 88 · cache 512 · 3.2s");
});

test("usage that nobody reported is unknown, not zero", () => {
  assert.equal(usageLine({ ...cost, usage: null }, 80), "pi 1.6.0 · faux/demo · tokens unknown · 3.2s");
});

test("a narrow terminal gets more lines, broken between the items", () => {
  assert.equal(usageLine(cost, 40), "pi 1.6.0 · faux/demo · in 1,204 · out 88\ncache 512 · 3.2s");
});
