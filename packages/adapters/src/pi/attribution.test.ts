import assert from "node:assert/strict";
import { test } from "node:test";
import { attribute } from "./attribution.ts";

test("a request of Pi's client is the turn's own; another client's is not known", () => {
  const pi = { "user-agent": "pi/1.6.0 (linux; node/v24.22.3; x64)", authorization: "Bearer beeuni" };
  assert.deepEqual(attribute({ headers: pi }), { nativeSession: null, parent: null, agent: null, role: "main" });
  assert.equal(attribute({ headers: { ...pi, authorization: "Bearer other" } }).role, "unknown");
  assert.equal(attribute({ headers: { "user-agent": "curl/8", authorization: "Bearer beeuni" } }).role, "unknown");
});
