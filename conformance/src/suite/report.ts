import { SESSION_CAPABILITY_IDS, SUPPORT_KEYS } from "@beeuni/protocol";
import type { SessionCapability, SupportKey, SupportLevel } from "@beeuni/protocol";
import type { Harness } from "@beeuni/harness";

/** What a run of the suite found; the matrix in the docs is made from it. */
export interface ConformanceReport {
  harness: string;
  label: string;
  version: string;
  /** Day of the run, `YYYY-MM-DD`. */
  date: string;
  /** The claim of the support table, and whether its test passed. */
  cells: Record<SupportKey, { level: SupportLevel; reason: string | null; proven: boolean }>;
  capabilities: Record<SessionCapability, { listed: boolean; proven: boolean }>;
}

/** A report in which nothing is proven yet. */
export function beginReport(harness: Harness, now: Date = new Date()): ConformanceReport {
  const table = harness.support();
  return {
    harness: harness.id,
    label: harness.label,
    version: harness.toolchain.version,
    date: now.toISOString().slice(0, 10),
    cells: Object.fromEntries(SUPPORT_KEYS.map((key) => [key, { level: table[key].level, reason: table[key].reason ?? null, proven: false }])) as ConformanceReport["cells"],
    capabilities: Object.fromEntries(SESSION_CAPABILITY_IDS.map((id) => [id, { listed: harness.capabilities.includes(id), proven: false }])) as ConformanceReport["capabilities"],
  };
}

/** The matrix as a Markdown table: one column a harness. A claim that was not proven is marked. */
export function renderMatrix(reports: readonly ConformanceReport[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const unproven = (proven: boolean): string => (proven ? "" : " (not proven)");
  return [
    row(["", ...reports.map(({ label, version }) => `${label} ${version}`)]),
    row(["---", ...reports.map(() => "---")]),
    ...SUPPORT_KEYS.map((key) => row([`\`${key}\``, ...reports.map(({ cells }) => `${cells[key].level}${unproven(cells[key].proven)}`)])),
    ...SESSION_CAPABILITY_IDS.map((id) => row([`\`${id}\``, ...reports.map(({ capabilities }) => `${capabilities[id].listed ? "yes" : "–"}${unproven(capabilities[id].proven)}`)])),
    "",
    ...reports.flatMap(({ label, cells }) => SUPPORT_KEYS.flatMap((key) => (cells[key].reason === null ? [] : [`- ${label}, \`${key}\`: ${cells[key].reason}.`]))),
  ].join("\n");
}
