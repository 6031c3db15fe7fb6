import type { PermissionDialect } from "@beeuni/harness";
import { SUPPORT_KEYS } from "@beeuni/protocol";
import type { HarnessDetails, HarnessRow } from "../compose/harnesses.ts";
import type { Sink } from "../io.ts";
import { fields, table } from "./table.ts";
import { wrap } from "./width.ts";

const STATES: Readonly<Record<HarnessRow["toolchain"], string>> = {
  none: "built in", installed: "installed", missing: "not installed", broken: "broken", "no adapter": "no adapter here",
};

export function harnessTable(rows: readonly HarnessRow[], out: Pick<Sink, "columns" | "colours">): string {
  return table(
    rows,
    [
      { title: "harness", cell: (row) => row.id },
      { title: "version", cell: (row) => row.version ?? "" },
      { title: "state", cell: (row) => STATES[row.toolchain] },
      { title: "place", cell: (row) => row.platform ?? "", drop: 1 },
      { title: "family", cell: (row) => row.family ?? "", drop: 3 },
      { title: "folder", cell: (row) => row.directory ?? "", drop: 2, shrink: 16 },
    ],
    out.columns,
    out.colours,
  );
}

/** The page of `harness show`. Support and capabilities are facts of the adapter, not of this machine. */
export function harnessPage(harness: HarnessDetails, out: Pick<Sink, "columns" | "colours">): string {
  const head = fields(
    [
      ["harness", `${harness.id} (${harness.label})`],
      ["version", `${harness.version} (tested: ${harness.tested.join(", ")})`],
      ["family", harness.family ?? "unknown"],
      ["place", harness.platform ?? "none of the platform's two"],
      ["state", STATES[harness.toolchain]],
      ...(harness.directory === null ? [] : [["folder", harness.directory] as const]),
      ...rulesOf(harness.permissions),
      ...Object.entries(harness.packages).map(([name, version]) => ["package", `${name} ${version}`] as const),
    ],
    out.colours,
  );
  const tools = `${out.colours.dim("tools")}\n${wrap(harness.tools.join(", "), out.columns - 2).map((line) => `  ${line}\n`).join("")}`;
  const support = table(
    SUPPORT_KEYS.map((key) => ({ key, ...harness.support[key] })),
    [
      { title: "support", cell: (row) => row.key },
      { title: "level", cell: (row) => row.level },
      { title: "why", cell: (row) => row.reason ?? "", shrink: 16 },
    ],
    out.columns,
    out.colours,
  );
  const capabilities = table(
    harness.capabilities,
    [
      { title: "capability", cell: (row) => row.id },
      { title: "offered", cell: (row) => (row.offered ? "yes" : "no (501)") },
      { title: "what", cell: (row) => row.meaning, shrink: 12, drop: 1 },
    ],
    out.columns,
    out.colours,
  );
  return [head, tools, support, capabilities].join("\n");
}

const ORDERS: Readonly<Record<PermissionDialect["order"], string>> = {
  "longest-wins": "of several patterns that match, the longest wins",
  "last-wins": "of several patterns that match, the last in the file wins",
};

function rulesOf({ order, unaskable }: PermissionDialect): (readonly [string, string])[] {
  return [["rules", ORDERS[order]], ...(unaskable.length === 0 ? [] : [["no ask", `${unaskable.join(", ")}: \`ask\` denies`] as const])];
}
