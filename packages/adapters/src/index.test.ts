import assert from "node:assert/strict";
import { test } from "node:test";
import { HarnessRegistry } from "@beeuni/harness";
import { BUILT_IN_HARNESSES, PLATFORM_HARNESSES } from "./index.ts";

test("[H-004] opencode and pi are the platform harnesses, and every built-in adapter keeps the contract", async () => {
  const registry = new HarnessRegistry(PLATFORM_HARNESSES, BUILT_IN_HARNESSES);
  assert.deepEqual(registry.runtimeIds(), ["opencode", "pi"]);
  for (const id of registry.ids()) {
    const { label, family } = registry.get(id);
    const harness = await registry.load(id);
    assert.deepEqual([harness.id, harness.label, harness.family], [id, label, family]);
  }
});

test("[H-140] no function is listed that has no method yet", async () => {
  const { capabilities } = await BUILT_IN_HARNESSES[0]!.load();
  assert.deepEqual(capabilities, []);
});
