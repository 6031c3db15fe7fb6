import { type HarnessRegistry, misspelledNames } from "@beeuni/harness";
import type { Project } from "@beeuni/project";
import type { Issue } from "@beeuni/protocol";

/** Rules and tool lists of agents that name no tool of any harness or of the project, but nearly one. */
export async function nameIssues(registry: HarnessRegistry, { agents, toolModules, systemTools }: Pick<Project, "agents" | "toolModules" | "systemTools">): Promise<Issue[]> {
  const harnesses = await Promise.all(registry.ids().map((id) => registry.load(id)));
  const hostTools = [...toolModules.map(({ name }) => name), ...systemTools];
  return agents.flatMap(({ name: agent, file, spec }) =>
    spec === null
      ? []
      : misspelledNames(spec, harnesses, hostTools).map(({ field, name, meant }): Issue => ({
          file: file ?? "beeuni.yaml", path: `agents.${agent}.${field}`, message: `no tool is called "${name}", so it decides nothing; did you mean ${meant}?`, severity: "warning",
        })));
}
