import { type AgentInfo, type AgentSet, type AgentSpec, formatModelRef, type Health } from "@beeuni/protocol";
import { explainProjectHarness, type ExplainedSelection, type Harness, type HarnessHealth, toolchainStatus } from "@beeuni/harness";
import { loadProject, requireUsable, type Project } from "@beeuni/project";
import { type DaemonFacts, healthDocument } from "../session/health.ts";
import type { DaemonOptions } from "../types.ts";

/** The agents as the project stands now. Throws `invalid_project`. */
export async function agentSetNow({ directory, registry }: DaemonOptions): Promise<AgentSet> {
  const project = await loadProject(directory, { runtimes: registry.runtimeIds() });
  requireUsable(project);
  return project.agentSet;
}

/** The agents that a session may be started with. */
export function agentInfos({ agents, default: preset }: AgentSet): AgentInfo[] {
  return agents.map((agent: AgentSpec) => ({
    name: agent.name, description: agent.description, mode: agent.mode, model: agent.model === null ? null : formatModelRef(agent.model),
    isDefault: agent.name === preset,
  }));
}

/** The harness that a session would be started with now. Throws what stands in its way. */
export async function harnessNow(options: DaemonOptions): Promise<Harness> {
  const { decision, error } = (await look(options)).selection;
  if (error !== null) throw error;
  return await options.registry.load(decision.harness);
}

/** Health while no session is meant: whether one could be started. Never throws for what the project says. */
export async function projectHealth(options: DaemonOptions, facts: DaemonFacts, epoch: string): Promise<Health> {
  const { project, selection } = await look(options);
  const { decision } = selection;
  let harness: Harness | null = null;
  let state: HarnessHealth = { state: "ok", error: null, details: {} };
  try {
    requireUsable(project);
    if (selection.error !== null) throw selection.error;
    harness = await options.registry.load(decision.harness);
    const { state: toolchain, version } = await toolchainStatus(options.home, harness);
    if (toolchain === "missing" || toolchain === "broken") state = { state: "down", error: `${harness.id} ${version} is not installed`, details: {} };
  } catch (thrown) {
    state = { state: "error", error: (thrown as Error).message, details: {} };
  }
  return healthDocument({
    ...facts, epoch, decision, harness: state, capabilities: harness?.capabilities ?? [], harnessVersion: harness?.toolchain.version ?? null,
    support: harness?.support() ?? null, session: null, now: Date.now(),
  });
}

async function look({ directory, registry, flags, explicitHarness }: DaemonOptions): Promise<{ project: Project; selection: ExplainedSelection }> {
  const project = await loadProject(directory, { runtimes: registry.runtimeIds() });
  const selection = explainProjectHarness({
    explicit: explicitHarness, flags: await flags(), manifest: project.manifest, registered: registry.ids(), platform: registry.platform,
  });
  return { project, selection };
}
