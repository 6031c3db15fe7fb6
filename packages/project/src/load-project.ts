import { findManifest, readManifest, type Manifest } from "@beeuni/manifest";
import { BeeuniError, type Issue } from "@beeuni/protocol";
import { decodeText } from "./decode-text.ts";
import type { AgentEntry, Project } from "./project.ts";
import { diskReader, type ProjectReader } from "./project-reader.ts";
import { builtInAgent, readDeclaredAgents, readLooseAgents } from "./read-agents.ts";
import { readRulesFile } from "./rules-file.ts";

export interface LoadProjectOptions {
  /** Ids that the manifest's `runtime` may have, in the order that a message lists them. */
  runtimes: readonly string[];
  /** What to read it through; default: the folder on this disk. */
  reader?: ProjectReader;
  /** Folders in which `<name>.md` is looked for, the first wins; default `agents`. */
  agentFolders?: readonly string[];
}

/**
 * Reads the project in this folder, and in no other: nothing above it is looked at. What the files say wrong is in
 * `issues`; throws `not_found` or `invalid_request` only when there is no such folder.
 */
export async function loadProject(directory: string, options: LoadProjectOptions): Promise<Project> {
  const reader = options.reader ?? (await openFolder(directory));
  const folders = options.agentFolders ?? ["agents"];
  const { manifest, isProject, issues } = await loadManifest(reader, options.runtimes);
  const agents = manifest !== null ? await readDeclaredAgents(reader, manifest, folders) : isProject ? [] : await readLooseAgents(reader, folders);
  const rules = await readRulesFile(reader);
  if (!isProject && defaultOf(agents) === undefined) agents.push({ name: "build", file: null, state: "ready", issues: [], spec: builtInAgent() });
  return {
    directory: reader.root,
    manifest,
    isProject,
    isUsable: issues.every(({ severity }) => severity === "warning"),
    agentSet: {
      default: isProject ? (manifest?.defaultAgent ?? "") : defaultOf(agents)!.name,
      agents: agents.flatMap(({ spec }) => (spec === null ? [] : [spec])),
      rulesFile: rules.rulesFile,
      hostTools: [],
    },
    agents,
    toolModules: manifest?.tools.modules ?? [],
    systemTools: manifest?.tools.system ?? [],
    issues: [...issues, ...agents.flatMap((agent) => agent.issues), ...rules.issues],
  };
}

async function openFolder(directory: string): Promise<ProjectReader> {
  try {
    return await diskReader(directory);
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === "ENOENT";
    throw new BeeuniError(isMissing ? "not_found" : "invalid_request", isMissing ? `there is no folder ${directory}` : `${directory} can't be read: ${(thrown as Error).message}`, {
      hint: "give an existing folder with --dir", cause: thrown,
    });
  }
}

async function loadManifest(reader: ProjectReader, runtimes: readonly string[]): Promise<{ manifest: Manifest | null; isProject: boolean; issues: Issue[] }> {
  const issues: Issue[] = [];
  const found = await findManifest({
    async read(path) {
      const read = await reader.read(path);
      if (read.kind === "file") return decodeText(read.bytes).text;
      if (read.kind !== "missing") issues.push({ file: path, path: "<file>", message: `${path} is not a readable file of the project (${read.kind === "unreadable" ? read.reason : read.kind}).`, severity: "error" });
      return null;
    },
  });
  if (issues.length > 0) return { manifest: null, isProject: true, issues };
  if (found === null) return { manifest: null, isProject: false, issues };
  if ("issue" in found) return { manifest: null, isProject: true, issues: [found.issue] };
  const result = readManifest(found.text, { file: found.file, runtimes });
  return { manifest: result.manifest, isProject: true, issues: result.issues };
}

/** Without a manifest: `build`, else the first that a person can talk to. */
function defaultOf(agents: readonly AgentEntry[]): AgentEntry | undefined {
  const able = agents.filter(({ spec }) => spec !== null && spec.mode !== "subagent");
  return able.find(({ name }) => name === "build") ?? able[0];
}
