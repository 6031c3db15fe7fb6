import { formatIssue } from "@beeuni/protocol";
import { explainProjectHarness } from "@beeuni/harness";
import { loadProject } from "@beeuni/project";
import { readFlags } from "../../compose/flags.ts";
import { homeDirectory, projectDirectory, projectFiles } from "../../compose/home.ts";
import { builtInRegistry } from "../../compose/registry.ts";
import type { RunCommand } from "../../main.ts";
import { decisionPage } from "../../render/decision.ts";
import { writeJson } from "../../render/json.ts";

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
  if (invocation.flag("json")) writeJson(io.stdout, decision);
  else io.stdout.write(decisionPage(decision, io.stdout));
  if (error !== null) throw error;
  return 0;
};
export default explain;
