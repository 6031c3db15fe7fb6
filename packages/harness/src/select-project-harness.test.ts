import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeeuniError } from "@beeuni/protocol";
import { explainProjectHarness, selectProjectHarness, type ProjectSelection } from "./select-project-harness.ts";

const platform = { standard: "opencode", experimental: "pi" };
const both = ["opencode", "pi"];
const select = (part: Partial<ProjectSelection>) =>
  selectProjectHarness({ flags: { llm_gateway: true, pi_harness: false }, manifest: {}, registered: both, platform, ...part });
const flags = (llm_gateway: boolean, pi_harness: boolean) => ({ llm_gateway, pi_harness });

function refusal(part: Partial<ProjectSelection>): string[] {
  try {
    return [`chose ${select(part).harness}`];
  } catch (thrown) {
    const { code, message, hint } = thrown as BeeuniError;
    return [code, message, hint ?? ""];
  }
}

test("[H-022] [H-018] [H-019] [H-020] [H-021] [H-024] the twelve rows: the first rule that matches decides", () => {
  const rows: [gateway: boolean, flag: boolean, runtime: string | undefined, harness: string, rule: number][] = [
    [false, false, undefined, "opencode", 1], [false, false, "opencode", "opencode", 1], [false, false, "pi", "opencode", 1],
    [false, true, undefined, "opencode", 1], [false, true, "opencode", "opencode", 1], [false, true, "pi", "opencode", 1],
    [true, true, undefined, "pi", 2], [true, true, "opencode", "pi", 2], [true, true, "pi", "pi", 2],
    [true, false, undefined, "opencode", 4], [true, false, "opencode", "opencode", 4], [true, false, "pi", "pi", 3],
  ];
  const decided = rows.map(([gateway, flag, runtime]) => {
    const { harness, rule } = select({ flags: flags(gateway, flag), manifest: { runtime } });
    return [gateway, flag, runtime, harness, rule];
  });
  assert.deepEqual(decided, rows);
});

test("[H-014] [H-015] [H-016] the decision follows the flags and the manifest of the moment: same input, same decision", () => {
  const before = select({});
  const after = select({ flags: flags(true, true) });
  assert.deepEqual([before.harness, after.harness, select({}).harness], ["opencode", "pi", "opencode"]);
});

test("[H-022] the decision tells its rule, its reason and why each other candidate was not taken", () => {
  assert.deepEqual(select({ manifest: { runtime: "pi" } }), {
    harness: "pi", rule: 3, reason: "beeuni.yaml says runtime: pi",
    candidates: [
      { harness: "opencode", chosen: false, reason: "rule 3 came first" },
      { harness: "pi", chosen: true, reason: "beeuni.yaml says runtime: pi" },
    ],
  });
  assert.deepEqual(select({ registered: [...both, "other"] }).candidates, [
    { harness: "opencode", chosen: true, reason: "no other rule matches" },
    { harness: "pi", chosen: false, reason: "pi_harness is off and beeuni.yaml has no runtime" },
    { harness: "other", chosen: false, reason: "beeuni.yaml has no runtime" },
  ]);
  assert.deepEqual(select({ flags: flags(false, true) }).candidates[1], { harness: "pi", chosen: false, reason: "it needs the flag llm_gateway, which is off" });
  assert.deepEqual(select({ explicit: "pi" }).candidates[0], { harness: "opencode", chosen: false, reason: "another one was asked for" });
  assert.deepEqual(select({ flags: flags(true, true), registered: [...both, "other"] }).candidates[2], { harness: "other", chosen: false, reason: "rule 2 came first" });
});

test("a folder without a project file runs the experimental harness, but its flags hold", () => {
  const { harness, rule, reason } = select({ manifest: null });
  assert.deepEqual([harness, rule, reason], ["pi", 5, "the folder has no beeuni.yaml"]);
  assert.equal(select({ manifest: null, flags: flags(false, false) }).harness, "opencode");
  assert.equal(select({ manifest: null, registered: ["pi"] }).harness, "pi");
});

test("an explicit choice comes before every rule, and is that one or an error", () => {
  assert.deepEqual([select({ explicit: "pi" }).harness, select({ explicit: "opencode", flags: flags(true, true) }).rule], ["pi", 0]);
  assert.equal(select({ explicit: "other", registered: [...both, "other"] }).harness, "other");
  assert.deepEqual(refusal({ explicit: "opencod" }), ["harness_not_found", "there is no harness \"opencod\"", "did you mean opencode?"]);
  assert.deepEqual(refusal({ explicit: "zzzzzz" }), ["harness_not_found", "there is no harness \"zzzzzz\"", "known harnesses: opencode, pi"]);
});

test("[H-152] [H-023] with llm_gateway off no explicit choice brings a harness that needs the gateway", () => {
  assert.deepEqual(refusal({ explicit: "pi", flags: flags(false, false) }), [
    "harness_unavailable", "pi calls models only through the LLM gateway, and the project's flag llm_gateway is off", "turn the flag llm_gateway on, or leave --harness out",
  ]);
  assert.equal(select({ explicit: "opencode", flags: flags(false, true) }).harness, "opencode");
});

test("[H-005] without an adapter for the harness that the rule says, it is an error with the ways out, never another harness", () => {
  assert.deepEqual(refusal({ registered: ["pi"] }), [
    "harness_unavailable", "the harness of this session would be opencode (no other rule matches), but this installation has no adapter for opencode",
    "write `runtime: pi` in beeuni.yaml or give `--harness pi`",
  ]);
  assert.deepEqual(refusal({ registered: ["pi"], flags: flags(false, true) }), [
    "harness_unavailable", "the harness of this session would be opencode (the project's flag llm_gateway is off), but this installation has no adapter for opencode",
    "turn the flag llm_gateway on, and write `runtime: pi` in beeuni.yaml or give `--harness pi`",
  ]);
  assert.deepEqual(refusal({ registered: [] }), [
    "harness_unavailable", "the harness of this session would be opencode (no other rule matches), but this installation has no adapter for opencode", "install an adapter for opencode",
  ]);
  assert.equal(refusal({ registered: ["pi"], explicit: "opencode" })[0], "harness_unavailable");
});

test("`runtime` may name any registered harness; `auto` and unknown ids are errors that name the accepted ones", () => {
  assert.deepEqual([select({ manifest: { runtime: "other" }, registered: [...both, "other"] }).harness], ["other"]);
  assert.deepEqual(refusal({ manifest: { runtime: "auto" } }), [
    "invalid_project", "runtime: auto is not served in a project; runtime must be one of: opencode, pi", "write one of them in beeuni.yaml, for example `runtime: pi`",
  ]);
  assert.deepEqual(refusal({ manifest: { runtime: "pii" } }), ["harness_not_found", "there is no harness \"pii\"", "did you mean pi?"]);
});

test("explaining never throws and shows what stands in the way", () => {
  const { decision, error } = explainProjectHarness({ flags: flags(true, false), manifest: {}, registered: ["pi"], platform });
  assert.equal(error?.code, "harness_unavailable");
  assert.deepEqual(decision, {
    harness: "opencode", rule: 4, reason: "no other rule matches",
    candidates: [
      { harness: "opencode", chosen: false, reason: "no other rule matches; no adapter is installed for it" },
      { harness: "pi", chosen: false, reason: "pi_harness is off and beeuni.yaml has no runtime" },
    ],
  });
});
