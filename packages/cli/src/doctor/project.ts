import { explainProjectHarness, type HarnessRegistry } from "@beeuni/harness";
import { loadProject } from "@beeuni/project";
import { formatIssue, toBeeuniError } from "@beeuni/protocol";
import { readFlags } from "../compose/flags.ts";
import { projectFiles } from "../compose/home.ts";
import { nameIssues } from "../compose/name-issues.ts";
import { projectAbove } from "../compose/project-above.ts";
import { findServer } from "../compose/server-file.ts";
import { toolIssues } from "../compose/tool-issues.ts";
import type { Environment } from "../io.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** The project's files, the harness that its sessions get, and whether it is served. */
export async function projectChecks(registry: HarnessRegistry, home: string, directory: string, env: Environment): Promise<Check[]> {
  const project = await loadProject(directory, { runtimes: registry.runtimeIds() });
  const what = project.isProject ? `${directory}, agents: ${project.agentSet.agents.map(({ name }) => name).join(", ") || "none"}` : `${directory} has no beeuni.yaml: sessions run the built-in agent`;
  const above = await projectAbove(directory);
  const server = await findServer(home, directory);
  return [
    project.isUsable ? ok("project", what) : problem("project", `${directory} can't be used`, "correct the problems below; beeuni validate shows them alone"),
    ...(above === undefined ? [] : [warning("project", `the agents and rules of ${above} don't hold here`, `go there, or name it: --dir ${above}`)]),
    ...[...project.issues, ...(await nameIssues(registry, project)), ...(await toolIssues(directory, project))].map((issue) => (issue.severity === "error" ? problem : warning)("project", formatIssue(issue), `correct ${issue.file}${issue.line === undefined ? "" : ` in line ${issue.line}`}`)),
    await selectionCheck(registry, home, directory, env, project.isProject ? { runtime: project.manifest?.runtime } : null),
    ok("server", server === undefined ? "not running (beeuni serve)" : `${server.url} (process ${server.pid})`),
  ];
}

async function selectionCheck(registry: HarnessRegistry, home: string, directory: string, env: Environment, manifest: { runtime: string | null | undefined } | null): Promise<Check> {
  try {
    const flags = await readFlags(projectFiles(home, directory).flags);
    const { decision, error } = explainProjectHarness({ explicit: env["BEEUNI_HARNESS"] || undefined, flags, manifest, registered: registry.ids(), platform: registry.platform });
    if (error !== null) throw error;
    return ok("harness", `${decision.harness} (rule ${decision.rule}: ${decision.reason})`);
  } catch (thrown) {
    const { message, hint } = toBeeuniError(thrown);
    return problem("harness", message, hint ?? "beeuni harness explain tells more");
  }
}
