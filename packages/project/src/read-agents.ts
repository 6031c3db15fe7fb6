import type { AgentGovernance, Manifest } from "@beeuni/manifest";
import type { AgentSpec, Issue } from "@beeuni/protocol";
import { decodeText } from "./decode-text.ts";
import { parseAgentFile } from "./parse-agent-file.ts";
import type { AgentEntry } from "./project.ts";
import type { ProjectReader } from "./project-reader.ts";
import { intersectAccess } from "./tool-limits.ts";

/** Files that stand beside agents and are none, unless they have front matter. */
const NOTES = new Set(["README.md", "INDEX.md", "CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md", "CLAUDE.md"]);

/** The agent of a folder that has none of its own: the harness's default prompt, everything allowed. */
export function builtInAgent(name = "build"): AgentSpec {
  return {
    name, description: "", mode: "primary", prompt: "", model: null, variant: null, temperature: null, topP: null, steps: null, options: {},
    permissions: [], tools: { kind: "all" },
  };
}

/** The agents that a manifest declares, then the files in the agents' folders that it does not name. */
export async function readDeclaredAgents(reader: ProjectReader, manifest: Manifest, folders: readonly string[]): Promise<AgentEntry[]> {
  const declared: AgentEntry[] = [];
  for (const agent of Object.values(manifest.agents)) declared.push(await readDeclared(reader, agent, folders));
  const taken = new Set(declared.map(({ file }) => file));
  const names = new Set(declared.map(({ name }) => name));
  const others = (await agentFiles(reader, folders)).filter(({ file, name }) => !taken.has(file) && !names.has(name));
  return [...declared, ...others.map(({ name, file }): AgentEntry => ({ name, file, state: "undeclared", issues: [], spec: null }))];
}

/** Without a manifest every file in the agents' folders is an agent, but for notes such as a README. */
export async function readLooseAgents(reader: ProjectReader, folders: readonly string[]): Promise<AgentEntry[]> {
  const entries: AgentEntry[] = [];
  for (const { name, file } of await agentFiles(reader, folders)) {
    const entry = await readAgent(reader, name, file);
    const isNote = !entry.hasFrontMatter && NOTES.has(`${name.split("/").at(-1)!.toUpperCase()}.md`);
    if (!isNote) entries.push(entry.entry);
  }
  return entries;
}

async function readDeclared(reader: ProjectReader, agent: AgentGovernance, folders: readonly string[]): Promise<AgentEntry> {
  const candidates = agent.file === null ? folders.map((folder) => `${folder}/${agent.name}.md`) : [agent.file];
  const found = await firstExisting(reader, candidates);
  if (found === null && agent.file !== null) {
    const message = `"${agent.file}" is not declared in the project files.`;
    const issue: Issue = { file: agent.file, path: `agents.${agent.name}.file`, message, severity: "error" };
    return { name: agent.name, file: agent.file, state: agent.enabled ? "broken" : "disabled", issues: [issue], spec: null };
  }
  if (found === null) {
    const message = `"${candidates[0]}" is not declared in the project files: the agent runs with the harness's own prompt.`;
    const issue: Issue = { file: candidates[0]!, path: `agents.${agent.name}.file`, message, severity: "warning" };
    const spec = agent.enabled ? { ...builtInAgent(agent.name), mode: "all" as const, tools: agent.tools } : null;
    return { name: agent.name, file: null, state: agent.enabled ? "ready" : "disabled", issues: [issue], spec };
  }
  const { entry } = await readAgent(reader, agent.name, found);
  if (!agent.enabled) return { ...entry, state: "disabled", spec: null };
  return entry.spec === null ? entry : { ...entry, spec: { ...entry.spec, tools: intersectAccess(agent.tools, entry.spec.tools) } };
}

async function readAgent(reader: ProjectReader, name: string, file: string): Promise<{ entry: AgentEntry; hasFrontMatter: boolean }> {
  const broken = (message: string): { entry: AgentEntry; hasFrontMatter: boolean } => ({
    entry: { name, file, state: "broken", issues: [{ file, path: "<file>", message, severity: "error" }], spec: null }, hasFrontMatter: true,
  });
  const read = await reader.read(file);
  if (read.kind === "missing") return broken("is a link to nothing.");
  if (read.kind === "irregular") return broken("is not a regular file.");
  if (read.kind === "outside") return broken("is a link that leaves the project.");
  if (read.kind === "unreadable") return broken(`can't be read: ${read.reason}`);
  const { text, isExact } = decodeText(read.bytes);
  const { spec, isDisabled, issues, hasFrontMatter } = parseAgentFile(text, name, file);
  if (!isExact) issues.unshift({ file, path: "<file>", message: "is not UTF-8: what can't be read is replaced.", severity: "warning" });
  const state = isDisabled ? "disabled" : spec === null ? "broken" : "ready";
  return { entry: { name, file, state, issues, spec: state === "ready" ? spec : null }, hasFrontMatter };
}

async function firstExisting(reader: ProjectReader, candidates: readonly string[]): Promise<string | null> {
  for (const file of candidates) if ((await reader.read(file)).kind !== "missing") return file;
  return null;
}

/** Markdown files of the folders; the name is the path below the folder. The first folder wins a name. */
async function agentFiles(reader: ProjectReader, folders: readonly string[]): Promise<{ name: string; file: string }[]> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const file of await reader.list(folder)) {
      const name = file.slice(folder.length + 1).replace(/\.md$/, "");
      if (file.endsWith(".md") && name !== "" && !files.has(name)) files.set(name, file);
    }
  }
  return [...files].map(([name, file]) => ({ name, file }));
}
