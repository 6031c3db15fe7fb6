import type { HarnessDecision } from "@beeuni/protocol";
import type { Sink } from "../io.ts";
import { wrap } from "./width.ts";

/** What `harness explain` prints: the choice, its rule, and every candidate with its reason. */
export function decisionPage(decision: HarnessDecision, out: Pick<Sink, "columns" | "colours">): string {
  const head = wrap(`${decision.harness} (rule ${decision.rule}: ${decision.reason})`, out.columns).join("\n");
  const width = Math.max(...decision.candidates.map((candidate) => candidate.harness.length));
  // Reasons are the point of the page: they wrap instead of being cut.
  const rows = decision.candidates.map((candidate) => {
    const lead = `${candidate.chosen ? "→" : " "} ${candidate.harness.padEnd(width)}  `;
    const [first = "", ...rest] = wrap(candidate.reason, Math.max(16, out.columns - lead.length));
    return [lead + first, ...rest.map((line) => " ".repeat(lead.length) + line)].join("\n");
  });
  return `${out.colours.bold(head)}\n\n${rows.join("\n")}\n`;
}
