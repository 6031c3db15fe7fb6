import type { Project } from "@beeuni/project";
import type { Issue } from "@beeuni/protocol";
import { loadTools, type ToolLoadFailure } from "@beeuni/tools";

/** What is wrong with the project's tools: each module is loaded, as a session does. */
export async function toolIssues(directory: string, { toolModules }: Pick<Project, "toolModules">): Promise<Issue[]> {
  const { failed } = await loadTools({ directory, modules: toolModules });
  return failed.map(toolIssue);
}

/** The module's path is the issue's file: it isn't said again in the message. */
export function toolIssue({ name, path, error }: ToolLoadFailure): Issue {
  const issue: Issue = { file: path, path: `tools.${name}`, message: error.startsWith(`${path}: `) ? error.slice(path.length + 2) : error, severity: "error" };
  const place = / (\S+):(\d+):(\d+)$/.exec(issue.message);
  if (place?.[1] !== path) return issue;
  // A syntax error: its lines count from 1, its columns from 0.
  return { ...issue, message: issue.message.slice(0, place.index), line: Number(place[2]), column: Number(place[3]) + 1 };
}
