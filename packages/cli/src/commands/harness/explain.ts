import { type EnforcedRule, formatIssue, type ModelEndpoint } from "@beeuni/protocol";
import { type AgentSet, explainProjectHarness, type HarnessRegistry } from "@beeuni/harness";
import { loadProject } from "@beeuni/project";
import { readFlags } from "../../compose/flags.ts";
import { homeDirectory, projectDirectory, projectFiles } from "../../compose/home.ts";
import { builtInRegistry } from "../../compose/registry.ts";
import type { RunCommand } from "../../main.ts";
import { decisionPage } from "../../render/decision.ts";
import { writeJson } from "../../render/json.ts";
import { rulesTable } from "../../render/rules.ts";

/** Who enforces a rule does not depend on where the models are. */
const NO_ENDPOINT: ModelEndpoint = { root: "http://127.0.0.1:0/s/none", models: [] };

const explain: RunCommand = async (invocation, io) => {
  const directory = await projectDirectory(invocation.text("dir"), io.cwd);
  const registry = builtInRegistry();
  const project = await loadProject(directory, { runtimes: registry.runtimeIds() });
  const { decision, error } = explainProjectHarness({
    explicit: invocation.text("harness") ?? (io.env["BEEUNI_HARNESS"] || undefined),
    flags: await readFlags(projectFiles(homeDirectory(io.env), directory).flags),
    manifest: project.isProject ? { runtime: project.manifest?.runtime } : null,
    registered: registry.ids(),
    platform: registry.platform,
  });
  for (const issue of project.issues) io.stderr.write(`beeuni: ${issue.severity}: ${formatIssue(issue)}\n`);
  const rules = error === null ? await enforcedRules(registry, decision.harness, project.agentSet) : {};
  if (invocation.flag("json")) writeJson(io.stdout, { ...decision, rules });
  else io.stdout.write([decisionPage(decision, io.stdout), rulesTable(rules, io.stdout)].filter((block) => block !== "").join("\n"));
  if (error !== null) throw error;
  return 0;
};
export default explain;

/** What a session's start records about each agent's rules. */
async function enforcedRules(registry: HarnessRegistry, harness: string, agents: AgentSet): Promise<{ [agent: string]: EnforcedRule[] }> {
  return (await registry.load(harness)).compile(agents, NO_ENDPOINT, "project").rules;
}
