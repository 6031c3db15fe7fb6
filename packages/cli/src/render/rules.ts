import type { EnforcedRule } from "@beeuni/protocol";
import type { Sink } from "../io.ts";
import { table } from "./table.ts";

/** Permission rules with who enforces each, by agent. Empty when no agent has a rule. */
export function rulesTable(rules: Readonly<Record<string, readonly EnforcedRule[]>>, out: Pick<Sink, "columns" | "colours">): string {
  const rows = Object.entries(rules).flatMap(([agent, list]) => list.map((rule) => ({ agent, ...rule })));
  if (rows.length === 0) return "";
  return table(
    rows,
    [
      { title: "agent", cell: ({ agent }) => agent, shrink: 6 },
      { title: "rule", cell: ({ permission }) => permission, shrink: 8 },
      { title: "pattern", cell: ({ pattern }) => pattern, shrink: 6 },
      { title: "action", cell: ({ action }) => action },
      { title: "by", cell: ({ enforcer, reason }) => (reason === undefined ? enforcer : `${enforcer} (${reason})`), shrink: 6 },
    ],
    out.columns,
    out.colours,
  );
}
