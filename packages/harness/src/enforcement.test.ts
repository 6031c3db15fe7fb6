import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnforcedRule, PermissionRule } from "@beeuni/protocol";
import { hostEnforcedRules, refuseUnenforced, unenforcedDenies } from "./enforcement.ts";

const deny = (permission: string, pattern = "*"): PermissionRule => ({ permission, pattern, action: "deny" });
const agents = [{ name: "a", permissions: [deny("bash"), deny("edit", "src/*"), { permission: "read", pattern: "*", action: "ask" } satisfies PermissionRule] }, { name: "b", permissions: [deny("bash")] }];
const enforced = (rule: PermissionRule, enforcer: EnforcedRule["enforcer"], reason?: string): EnforcedRule => ({ ...rule, enforcer, ...(reason === undefined ? {} : { reason }) });

test("rules that the host asks for are its own to enforce; an ask that can't ask says so", () => {
  const dialect = { order: "longest-wins", unaskable: ["read"], keys: {}, subject: {} } as const;
  assert.deepEqual(hostEnforcedRules(agents[0]!, dialect), [
    enforced(deny("bash"), "host"), enforced(deny("edit", "src/*"), "host"),
    { permission: "read", pattern: "*", action: "ask", enforcer: "host", reason: "this key can't ask on this harness: the call is denied" },
  ]);
});

test("[H-050] a deny that nobody enforces, or that the compiled configuration forgot, refuses the start and is named", () => {
  const rules = { a: [enforced(deny("bash"), "harness"), enforced(deny("edit", "src/*"), "nobody", "it has no path rules")] };
  assert.deepEqual(unenforcedDenies(agents, { rules }), [
    { ...deny("edit", "src/*"), enforcer: "nobody", reason: "it has no path rules", agent: "a" },
    { ...deny("bash"), enforcer: "nobody", reason: "the harness's configuration does not carry it", agent: "b" },
  ]);
  assert.throws(() => refuseUnenforced("x", agents, { rules }), {
    code: "rule_not_enforced",
    message: "x would not enforce these rules:\n  a: edit \"src/*\": deny (it has no path rules)\n  b: bash \"*\": deny (the harness's configuration does not carry it)",
  });
});

test("[H-050] with every deny enforced the start is not refused; an ask alone refuses nothing", () => {
  const rules = { a: [enforced(deny("bash"), "host"), enforced(deny("edit", "src/*"), "harness")], b: [enforced(deny("bash"), "host")] };
  refuseUnenforced("x", agents, { rules });
});
