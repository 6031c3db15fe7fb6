import { BeeuniError, type AgentSpec, type EnforcedRule } from "@beeuni/protocol";
import type { Compiled, PermissionDialect } from "./contract.ts";

/** The agent's rules as the host enforces them, for a harness that asks the host before every call. */
export function hostEnforcedRules(agent: Pick<AgentSpec, "permissions">, dialect: PermissionDialect): EnforcedRule[] {
  return agent.permissions.map((rule) => {
    const isUnaskable = rule.action === "ask" && dialect.unaskable.includes(rule.permission);
    return { ...rule, enforcer: "host", ...(isUnaskable ? { reason: "this key can't ask on this harness: the call is denied" } : {}) };
  });
}

/** Every `deny` that nobody enforces, with its agent. A rule that the compiled configuration does not list counts. */
export function unenforcedDenies(agents: readonly Pick<AgentSpec, "name" | "permissions">[], compiled: Pick<Compiled, "rules">): (EnforcedRule & { agent: string })[] {
  return agents.flatMap(({ name, permissions }) =>
    permissions.filter((rule) => rule.action === "deny").flatMap((rule) => {
      const entry = compiled.rules[name]?.find((listed) =>
        listed.permission === rule.permission && listed.pattern === rule.pattern && listed.action === rule.action);
      if (entry !== undefined && entry.enforcer !== "nobody") return [];
      const reason = entry?.reason ?? "the harness's configuration does not carry it";
      return [{ ...rule, enforcer: "nobody" as const, reason, agent: name }];
    }));
}

/** Refuses the start when a `deny` would not hold. Throws `rule_not_enforced`, which names each rule. */
export function refuseUnenforced(harness: string, agents: readonly Pick<AgentSpec, "name" | "permissions">[], compiled: Pick<Compiled, "rules">): void {
  const open = unenforcedDenies(agents, compiled);
  if (open.length === 0) return;
  const lines = open.map(({ agent, permission, pattern, reason }) => `  ${agent}: ${permission} "${pattern}": deny (${reason})`);
  throw new BeeuniError("rule_not_enforced", `${harness} would not enforce these rules:\n${lines.join("\n")}`, {
    hint: "choose another harness, change the rules, or start with --allow-unenforced",
  });
}
