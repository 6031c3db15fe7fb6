import assert from "node:assert/strict";
import { test } from "node:test";
import { isId } from "@beeuni/protocol";
import { callId } from "./call-id.ts";

test("the same call has the same id; another number, start or principal has another", () => {
  const id = callId("ses_a", 7, 1_764_500_000_000);
  assert.equal(id, callId("ses_a", 7, 1_764_500_000_000));
  assert.ok(isId(id, "cal"));
  const others = [callId("ses_a", 8, 1_764_500_000_000), callId("ses_a", 7, 1_764_500_000_001), callId("ses_b", 7, 1_764_500_000_000)];
  assert.equal(new Set([id, ...others]).size, 4);
});

test("ids of a trace sort by start and number", () => {
  const ids = [callId("s", 0, 1000), callId("s", 1, 1000), callId("s", 2, 1000), callId("s", 3, 1001)];
  assert.deepEqual([...ids].reverse().sort(), ids);
});
