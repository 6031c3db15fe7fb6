import { formatIssue, type Issue } from "@beeuni/protocol";
import { loadProject } from "@beeuni/project";
import { projectDirectory } from "../compose/home.ts";
import { nameIssues } from "../compose/name-issues.ts";
import { projectAbove } from "../compose/project-above.ts";
import { builtInRegistry } from "../compose/registry.ts";
import { toolIssues } from "../compose/tool-issues.ts";
import type { RunCommand } from "../main.ts";
import { writeJson } from "../render/json.ts";

/** Usage: there is no project file to check. */
const NO_PROJECT = 2;

const validate: RunCommand = async (invocation, io) => {
  const directory = await projectDirectory(invocation.text("dir"), io.cwd);
  const registry = builtInRegistry();
  const project = await loadProject(directory, { runtimes: registry.runtimeIds() });
  if (!project.isProject) {
    const above = await projectAbove(directory);
    const hint = above === undefined ? "sessions run without one; to make a project, write a beeuni.yaml that begins with: beeuni_version: 2" : `one stands in ${above}: --dir ${above}`;
    if (invocation.flag("json")) writeJson(io.stdout, { valid: false, error: "file_not_found", path: `${directory}/beeuni.yaml` });
    else io.stderr.write(`error: there is no beeuni.yaml in ${directory}\nhint: ${hint}\n`);
    return NO_PROJECT;
  }
  const issues = [...project.issues, ...(await nameIssues(registry, project)), ...(await toolIssues(directory, project))];
  const errors = issues.filter(({ severity }) => severity === "error");
  const warnings = issues.filter(({ severity }) => severity === "warning");
  const file = project.manifest?.file ?? "beeuni.yaml";
  if (invocation.flag("json")) {
    writeJson(io.stdout, { valid: errors.length === 0, path: `${directory}/${file}`, issues });
  } else {
    if (errors.length === 0) io.stdout.write(`${file} is valid\n`);
    if (warnings.length > 0) io.stdout.write(block(warnings, "warning"));
    if (errors.length > 0) io.stderr.write(block(errors, "error"));
  }
  return errors.length === 0 ? 0 : 1;
};
export default validate;

function block(issues: readonly Issue[], word: string): string {
  return `${issues.length} ${word}(s):\n${issues.map((issue) => `  ${formatIssue(issue)}\n`).join("")}`;
}
