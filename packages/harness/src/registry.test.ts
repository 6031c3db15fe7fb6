import assert from "node:assert/strict";
import { test } from "node:test";
import { SUPPORT_KEYS, type SupportTable } from "@beeuni/protocol";
import type { Harness } from "./contract.ts";
import { HarnessRegistry, type HarnessEntry } from "./registry.ts";

const exact = Object.fromEntries(SUPPORT_KEYS.map((key) => [key, { level: "exact" }])) as SupportTable;
/** Just enough of a harness for the registry's checks. */
const harness = (id: string, table: SupportTable = exact): Harness => ({ id, label: id, support: () => table }) as Harness;
const entry = (id: string, load: () => Promise<Harness> = () => Promise.resolve(harness(id))): HarnessEntry => ({ id, label: id, family: "harness", load });
const platform = { standard: "opencode", experimental: "pi" };

test("[H-004] the registry marks exactly two platform harnesses, with or without adapters for them", () => {
  const registry = new HarnessRegistry(platform, [entry("pi"), entry("other")]);
  assert.deepEqual(registry.ids(), ["pi", "other"]);
  assert.deepEqual(registry.runtimeIds(), ["opencode", "pi", "other"]);
  assert.deepEqual(["opencode", "pi", "other", "unknown"].map((id) => registry.placeOf(id)), ["standard", "experimental", null, null]);
});

test("[H-004] an unknown id fails and names near ones; a platform harness without adapter names the way out", () => {
  const registry = new HarnessRegistry(platform, [entry("pi")]);
  assert.throws(() => registry.get("foo"), { code: "harness_not_found", message: "there is no harness \"foo\"", hint: "known harnesses: opencode, pi" });
  assert.throws(() => registry.get("opencod"), { code: "harness_not_found", hint: "did you mean opencode?" });
  assert.throws(() => registry.get("opencode"), {
    code: "harness_unavailable", message: "this installation has no adapter for opencode", hint: "write `runtime: pi` in beeuni.yaml or give `--harness pi`",
  });
});

test("third parties register alike; an id is taken once and has one spelling", () => {
  const registry = new HarnessRegistry(platform, [entry("pi")]);
  registry.register(entry("acp:mine"));
  assert.deepEqual(registry.ids(), ["pi", "acp:mine"]);
  assert.throws(() => registry.register(entry("pi")), { code: "invalid_config", message: "two harnesses register as \"pi\"" });
  for (const id of ["Pi", "", "a b", "../x"]) assert.throws(() => registry.register(entry(id)), { code: "invalid_config" }, id);
});

test("[H-006] an adapter is loaded when it is asked for, once, and no other is", async () => {
  const loaded: string[] = [];
  const counting = (id: string): HarnessEntry => entry(id, () => { loaded.push(id); return Promise.resolve(harness(id)); });
  const registry = new HarnessRegistry(platform, [counting("pi"), counting("other")]);
  registry.list();
  assert.deepEqual(loaded, []);
  const [first, second] = await Promise.all([registry.load("pi"), registry.load("pi")]);
  assert.equal(first, second);
  assert.deepEqual(loaded, ["pi"]);
});

test("a load that fails is an error with its cause, and is tried again", async () => {
  let tries = 0;
  const registry = new HarnessRegistry(platform, [entry("pi", () => (++tries === 1 ? Promise.reject(new Error("no such module")) : Promise.resolve(harness("pi"))))]);
  await assert.rejects(registry.load("pi"), { code: "harness_unavailable", message: "the adapter of pi can't be loaded: no such module" });
  assert.equal((await registry.load("pi")).id, "pi");
});

test("an adapter that breaks the contract is refused", async () => {
  const registry = new HarnessRegistry(platform, [entry("pi", () => Promise.resolve(harness("other"))), entry("vague", () => Promise.resolve(harness("vague", { ...exact, abort: { level: "approx" } })))]);
  await assert.rejects(registry.load("pi"), { code: "harness_unavailable", message: "the adapter registered as \"pi\" breaks the contract: its id is \"other\"" });
  await assert.rejects(registry.load("vague"), { message: "the adapter registered as \"vague\" breaks the contract: abort: \"approx\" needs a reason" });
});
