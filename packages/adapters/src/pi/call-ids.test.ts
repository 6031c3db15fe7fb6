import assert from "node:assert/strict";
import { test } from "node:test";
import { CallIds } from "./call-ids.ts";

test("ids are kept while they are new, and made unique when a provider repeats or omits them", () => {
  const ids = new CallIds(["call_0"]);
  assert.deepEqual(["call_a", "call_0", "call_0", "", "", "c|item", "c|item"].map((id) => ids.claim(id)), ["call_a", "call_0_1", "call_0_2", "call_3", "call_4", "c|item", "c_5|item"]);
});
