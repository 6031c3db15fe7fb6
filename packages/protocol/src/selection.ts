import { z } from "zod";

/** One candidate of a selection with why it was, or was not, taken. */
export const SelectionCandidate = z.object({ harness: z.string(), chosen: z.boolean(), reason: z.string() });

/** The one decision object of a harness selection: printed by `harness explain`, logged, and in the health document. */
export const HarnessDecision = z.object({
  harness: z.string(),
  /** 0 explicit choice · 1 llm_gateway off · 2 the experimental flag · 3 manifest `runtime` · 4 otherwise · 5 no project. */
  rule: z.number(),
  reason: z.string(),
  candidates: z.array(SelectionCandidate),
});
export type HarnessDecision = z.infer<typeof HarnessDecision>;
