import assert from "node:assert/strict";
import { test } from "node:test";
import { SUPPORT_KEYS, type SupportTable } from "@beeuni/protocol";
import { capabilityProblems, requireFeature, sessionCapabilities, supportProblems } from "./support.ts";

const exact = Object.fromEntries(SUPPORT_KEYS.map((key) => [key, { level: "exact" }])) as SupportTable;

test("a support table has every key, and a reason wherever it is not exact", () => {
  assert.deepEqual(supportProblems(exact), []);
  assert.deepEqual(supportProblems({ ...exact, steps: { level: "approx", reason: "counts tool calls" }, wire: { level: "none", reason: "no proxy" } }), []);
  const { abort: _, ...rest } = exact;
  assert.deepEqual(supportProblems({ ...rest, steps: { level: "none", reason: " " }, wire: { level: "good" }, extra: { level: "exact" } } as unknown as SupportTable), [
    "abort: missing", "steps: \"none\" needs a reason", "wire: level must be one of: exact, approx, none (got \"good\")", "extra: not a support key",
  ]);
});

test("[H-155] capabilities are derived: declared and with a method behind it", async () => {
  const harness = { id: "pi", capabilities: ["session.compact", "session.rewind"] } as const;
  const session = { features: { "session.compact": () => Promise.resolve(), "session.fork": () => Promise.resolve({ nativeId: "x" }) } };
  assert.deepEqual(sessionCapabilities(harness, session), ["session.compact"]);
  assert.deepEqual(capabilityProblems(harness, session), [
    "session.rewind: declared, but the session has no method for it", "session.fork: the session has a method, but it is not declared",
  ]);
  await requireFeature(harness, session, "session.compact")();
  for (const id of ["session.rewind", "session.fork", "session.shell"] as const) {
    assert.throws(() => requireFeature(harness, session, id), {
      code: "feature_not_supported", status: 501, message: `${id.replace(".", " ")} is not supported by the pi harness`, hint: "`beeuni harness show pi` lists what it offers",
    });
  }
});
