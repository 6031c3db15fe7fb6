import {
  type AgentSpec, BeeuniError, type EnforcedRule, formatIssue, formatModelRef, type HarnessDecision, type Issue, type ModelEndpoint, type ModelRef, type PermissionRule,
} from "@beeuni/protocol";
import { type AgentSet, type Harness, misspelledNames, refuseUnenforced, selectProjectHarness, toolchainStatus, unenforcedDenies } from "@beeuni/harness";
import { agentToStart, loadProject } from "@beeuni/project";
import { type LoadedTool, loadTools } from "@beeuni/tools";
import type { DaemonOptions } from "../types.ts";
import { chooseModel, type ModelChoice } from "./choose-model.ts";

export interface PlanRequest {
  agent: string | undefined;
  /** `provider/model` asked for. */
  model: string | undefined;
  harness: string | undefined;
  /** What the session ran with so far, on resume. */
  before: { agent: string; model: ModelRef } | undefined;
  /** The session's own rules. */
  rules: readonly PermissionRule[] | undefined;
}

export interface Notice {
  level: "info" | "warning" | "error";
  code: string;
  message: string;
}

/** What a session will run with, decided before anything of it is written. */
export interface SessionPlan {
  agent: AgentSpec;
  model: ModelRef;
  decision: HarnessDecision;
  harness: Harness;
  toolchainDir: string;
  agents: AgentSet;
  tools: LoadedTool[];
  /** What a person should know: skipped tools, files with problems. */
  notices: Notice[];
}

/**
 * Reads the project and decides agent, model and harness, in this order; makes sure that the harness is installed; loads
 * the tools. Decided anew at each start, restart and resume. Throws what stands in the way, never falls back.
 */
export async function planSession(options: DaemonOptions, request: PlanRequest): Promise<SessionPlan> {
  const { directory, registry, gateway, flags, log } = options;
  const project = await loadProject(directory, { runtimes: registry.runtimeIds() });
  const agent = agentToStart(project, request.agent);
  const model = chooseModel(gateway, modelChoice(options, request, agent));
  const decision = selectProjectHarness({
    explicit: request.harness ?? options.explicitHarness, flags: await flags(), manifest: project.manifest,
    registered: registry.ids(), platform: registry.platform,
  });
  log?.("info", `agent harness selected: ${decision.harness} (rule ${decision.rule}: ${decision.reason})`);
  const harness = await registry.load(decision.harness);
  refuseUnclaimed(harness, gateway, model);
  const toolchainDir = await toolchainOf(options, harness);
  const loaded = await loadTools({ directory, modules: project.toolModules });
  return {
    agent: withRules(agent, request.rules ?? []), model, decision, harness, toolchainDir, tools: loaded.tools,
    agents: {
      ...project.agentSet, agents: project.agentSet.agents.map((known) => withRules(known, request.rules ?? [])),
      hostTools: loaded.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    },
    notices: [
      ...project.issues.map(issueNotice),
      ...misspelledNames(agent, [harness], [...project.toolModules, ...loaded.tools].map(({ name }) => name)).map(({ field, name, meant }): Notice => ({
        level: "warning", code: "unknown_tool", message: `agents.${agent.name}.${field}: no tool is called "${name}", so it decides nothing; did you mean ${meant}?`,
      })),
      ...loaded.failed.map(({ name, path, error }): Notice => ({
        level: "warning", code: "tool_skipped", message: `The tool ${name}${error.startsWith(path) ? "" : ` (${path})`} was left out: ${error}`,
      })),
    ],
  };
}

/**
 * What the session forbids or wants to be asked for goes into every agent's rules, so that a harness that enforces rules by
 * itself has it too. What it allows answers what asks and takes no `deny` away: that is the host's to know.
 */
function withRules(agent: AgentSpec, rules: readonly PermissionRule[]): AgentSpec {
  return { ...agent, permissions: [...agent.permissions, ...rules.filter(({ action }) => action !== "allow")] };
}

/** A resumed session keeps its model; another agent than before brings its own. */
function modelChoice({ defaultModel }: DaemonOptions, { model, before }: PlanRequest, agent: AgentSpec): ModelChoice {
  const keeps = model === undefined && before !== undefined && before.agent === agent.name;
  return {
    agent, asked: keeps ? formatModelRef(before.model) : model, variant: keeps ? before.model.variant : undefined,
    otherwise: before?.model ?? defaultModel,
  };
}

/** Every rule of the session's agent with who enforces it, and what of the project the harness can't honour. */
export interface Enforcement {
  rules: EnforcedRule[];
  notices: Notice[];
}

/** Compiles the project for the harness. Throws `rule_not_enforced` when a `deny` would not hold, unless that was allowed. */
export function checkEnforcement(plan: SessionPlan, endpoint: ModelEndpoint, allowUnenforced: boolean): Enforcement {
  const { harness, agents, agent } = plan;
  const compiled = harness.compile(agents, endpoint, "project");
  if (!allowUnenforced) refuseUnenforced(harness.id, agents.agents, compiled);
  const open = unenforcedDenies(agents.agents, compiled);
  return {
    rules: compiled.rules[agent.name] ?? [],
    notices: [
      ...open.map(({ agent: name, permission, pattern, reason }): Notice => ({
        level: "warning", code: "rule_not_enforced", message: `Nobody enforces ${name}: ${permission} "${pattern}": deny (${reason}); the session was started with --allow-unenforced.`,
      })),
      ...compiled.unsupported.map(({ field, effect, why }): Notice => ({ level: "warning", code: "not_supported", message: `${field}: ${effect} (${why})` })),
    ],
  };
}

function refuseUnclaimed(harness: Harness, gateway: DaemonOptions["gateway"], model: ModelRef): void {
  const { provider } = gateway.resolve(model);
  const claim = harness.supports({ provider: model.provider, model: model.id, protocols: provider.protocols });
  if (claim.supported) return;
  throw new BeeuniError("harness_unavailable", `the ${harness.id} harness can't run ${formatModelRef(model)}: ${claim.reason}`, {
    hint: "choose another model with --model, or another harness with --harness",
  });
}

async function toolchainOf({ home, onInstall }: DaemonOptions, harness: Harness): Promise<string> {
  let status = await toolchainStatus(home, harness);
  if ((status.state === "missing" || status.state === "broken") && onInstall !== undefined) {
    await onInstall(harness);
    status = await toolchainStatus(home, harness);
  }
  if (status.state === "none" || status.state === "installed") return status.directory;
  const why = status.state === "broken" ? `is installed, but not whole: ${status.reason ?? "an install replaces it"}` : "is not installed";
  throw new BeeuniError("harness_not_installed", `the ${harness.id} harness ${status.version} ${why}`, {
    hint: `run \`beeuni harness install ${harness.id}\``,
  });
}

function issueNotice(issue: Issue): Notice {
  return { level: issue.severity, code: "project_issue", message: formatIssue(issue) };
}
