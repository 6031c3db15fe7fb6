import { BeeuniError, formatIssue, nearNames, type AgentSpec, type Issue } from "@beeuni/protocol";
import type { AgentEntry, Project } from "./project.ts";

/** Throws `invalid_project` with every error of the manifest when the project can't be used. */
export function requireUsable(project: Project): void {
  if (project.isUsable) return;
  const files = new Set(project.agents.map(({ file }) => file));
  throw invalid(project.issues.filter((issue) => issue.severity === "error" && !files.has(issue.file)));
}

/**
 * The agent that a session starts with: the one named, else the default. Throws `agent_not_found` (near names in the
 * hint), `agent_disabled`, or `invalid_project` when its file or the manifest can't be used.
 */
export function agentToStart(project: Project, name: string = project.agentSet.default): AgentSpec {
  requireUsable(project);
  const entry = project.agents.find((candidate) => candidate.name === name);
  if (entry === undefined) throw notFound(project, name);
  if (entry.state === "disabled") throw disabled(project, entry);
  if (entry.state === "undeclared") {
    throw new BeeuniError("agent_not_found", `agent "${name}" is not declared in beeuni.yaml`, { hint: `declare it: add \`${name}:\` under \`agents\`${others(project, name)}` });
  }
  if (entry.spec === null) throw invalid(entry.issues.filter(({ severity }) => severity === "error"));
  if (entry.spec.mode === "subagent") {
    throw new BeeuniError("invalid_request", `agent "${name}" is a sub-agent (mode: subagent) and can't lead a session`, { hint: `set \`mode: all\` in ${entry.file}${others(project, name)}` });
  }
  return entry.spec;
}

function notFound(project: Project, name: string): BeeuniError {
  const names = startable(project);
  const near = nearNames(name, names);
  return new BeeuniError("agent_not_found", `there is no agent "${name}" in ${project.directory}`, {
    hint: near.length > 0 ? `did you mean ${near.join(" or ")}?` : `agents that can start: ${names.join(", ") || "none"}`,
  });
}

function disabled(project: Project, { name, file }: AgentEntry): BeeuniError {
  const isManifest = project.manifest?.agents[name]?.enabled === false;
  const where = isManifest ? `enabled: false in ${project.manifest!.file}` : `disable: true in ${file}`;
  return new BeeuniError("agent_disabled", `agent "${name}" is disabled (${where})`, { hint: `enable it there${others(project, name)}` });
}

function others(project: Project, name: string): string {
  const names = startable(project).filter((other) => other !== name);
  return names.length === 0 ? "" : `, or use one of: ${names.join(", ")}`;
}

function startable(project: Project): string[] {
  return project.agents.filter(({ state, spec }) => state === "ready" && spec?.mode !== "subagent").map(({ name }) => name);
}

function invalid(errors: readonly Issue[]): BeeuniError {
  const message = errors.length === 1 ? formatIssue(errors[0]!) : `${errors.length} problems:\n${errors.map((issue) => `  ${formatIssue(issue)}`).join("\n")}`;
  return new BeeuniError("invalid_project", message, { hint: "correct the file and start again" });
}
