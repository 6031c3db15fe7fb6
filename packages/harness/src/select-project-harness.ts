import { BeeuniError, type HarnessDecision } from "@beeuni/protocol";
import { harnessNotFound, harnessUnavailable, type PlatformHarnesses } from "./registry.ts";

/** Everything that project selection depends on. */
export interface ProjectSelection {
  /** `--harness` or the API's `harness`. */
  explicit?: string | undefined;
  flags: { llm_gateway: boolean; pi_harness: boolean };
  /** null: the folder has no project file. */
  manifest: { runtime?: string | null | undefined } | null;
  /** Ids with an adapter. */
  registered: readonly string[];
  platform: PlatformHarnesses;
}

/** The decision as far as it came, and the error when the chosen harness can't be served. */
export interface ExplainedSelection {
  decision: HarnessDecision;
  error: BeeuniError | null;
}

/**
 * Which harness a session of a project runs. Pure; the first rule that matches decides:
 *
 * 0. an explicit choice · 1. `llm_gateway` off: standard · 2. `pi_harness` on: experimental · 3. the manifest's
 * `runtime` · 5. no project file: experimental · 4. otherwise: standard.
 *
 * Fails closed: throws `harness_not_found`, `harness_unavailable` or `invalid_project` when what the rule says can't be
 * served; never another harness.
 */
export function selectProjectHarness(selection: ProjectSelection): HarnessDecision {
  const { decision, error } = explainProjectHarness(selection);
  if (error !== null) throw error;
  return decision;
}

/** The same without throwing: for `harness explain`, which shows the decision and what stands in its way. */
export function explainProjectHarness(selection: ProjectSelection): ExplainedSelection {
  const { harness, rule, reason } = firstMatch(selection);
  const error = obstacle(selection, harness, rule, reason);
  const ids = [...new Set([selection.platform.standard, selection.platform.experimental, ...selection.registered, harness])];
  const candidates = ids.map((id) =>
    id === harness
      ? { harness: id, chosen: error === null, reason: error === null ? reason : `${reason}; ${isMissing(selection, id) ? "no adapter is installed for it" : error.message}` }
      : { harness: id, chosen: false, reason: whyNot(selection, id, rule) });
  return { decision: { harness, rule, reason, candidates }, error };
}

function firstMatch({ explicit, flags, manifest, platform }: ProjectSelection): { harness: string; rule: number; reason: string } {
  const runtime = manifest?.runtime ?? platform.standard;
  if (explicit !== undefined) return { harness: explicit, rule: 0, reason: `asked for with --harness ${explicit}` };
  if (!flags.llm_gateway) return { harness: platform.standard, rule: 1, reason: "the project's flag llm_gateway is off" };
  if (flags.pi_harness) return { harness: platform.experimental, rule: 2, reason: "the project's flag pi_harness is on" };
  if (runtime !== platform.standard) return { harness: runtime, rule: 3, reason: `beeuni.yaml says runtime: ${runtime}` };
  if (manifest === null) return { harness: platform.experimental, rule: 5, reason: "the folder has no beeuni.yaml" };
  return { harness: platform.standard, rule: 4, reason: "no other rule matches" };
}

function obstacle({ flags, registered, platform }: ProjectSelection, harness: string, rule: number, reason: string): BeeuniError | null {
  const known = [...new Set([platform.standard, platform.experimental, ...registered])];
  if (rule === 3 && harness === "auto") {
    return new BeeuniError("invalid_project", `runtime: auto is not served in a project; runtime must be one of: ${known.join(", ")}`, {
      hint: `write one of them in beeuni.yaml, for example \`runtime: ${platform.experimental}\``,
    });
  }
  if (!known.includes(harness)) return harnessNotFound(harness, known);
  if (!flags.llm_gateway && harness !== platform.standard) {
    return new BeeuniError("harness_unavailable", `${harness} calls models only through the LLM gateway, and the project's flag llm_gateway is off`, {
      hint: "turn the flag llm_gateway on, or leave --harness out",
    });
  }
  if (registered.includes(harness)) return null;
  const way = registered.includes(platform.experimental) ? platform.experimental : registered[0];
  return harnessUnavailable(harness, reason, { way, needsGateway: !flags.llm_gateway });
}

/** A platform harness without an adapter. */
function isMissing({ platform, registered }: ProjectSelection, id: string): boolean {
  return !registered.includes(id) && (id === platform.standard || id === platform.experimental);
}

/** Why a candidate was not taken: the first rule that could have named it and did not. */
function whyNot({ flags, manifest, platform, registered }: ProjectSelection, id: string, rule: number): string {
  const missing = registered.includes(id) ? "" : "; no adapter is installed for it";
  if (rule === 0) return `another one was asked for${missing}`;
  if (id === platform.standard) return `rule ${rule} came first${missing}`;
  if (!flags.llm_gateway) return `it needs the flag llm_gateway, which is off${missing}`;
  if (rule === 2) return `rule 2 came first${missing}`;
  const runtime = manifest === null ? "there is no beeuni.yaml" : manifest.runtime == null ? "beeuni.yaml has no runtime" : `beeuni.yaml says runtime: ${manifest.runtime}`;
  return id === platform.experimental ? `pi_harness is off and ${runtime}${missing}` : `${runtime}${missing}`;
}
