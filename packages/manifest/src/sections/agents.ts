import type { ManifestDocument } from "../document.ts";
import type { AgentGovernance } from "../manifest.ts";
import { agentFilePath } from "../repo-path.ts";
import type { Section } from "../section.ts";
import { isTable, SLUG } from "../shape.ts";
import { readToolAccess } from "./agent-tools.ts";

/** Keys that belong into the agent's own file. */
const BEHAVIOUR = [
  "description", "model", "mode", "variant", "temperature", "top_p", "options", "color", "steps", "hidden", "prompt", "permission", "disable",
];

/** Which agents may start and what each may reach. */
export const agents: Section = {
  read(root, document, manifest) {
    const section = root["agents"];
    if (Array.isArray(section)) {
      document.error(["agents"], "`agents` must be a map of agent name → agent block in beeuni_version 2 (the v1 `[[agents]]` array becomes a map).");
      return;
    }
    if (!isTable(section) || Object.keys(section).length === 0) {
      document.error(["agents"], "beeuni_version 2 manifests must declare at least one agent under `agents`.");
      return;
    }
    for (const [name, block] of Object.entries(section)) {
      if (!SLUG.test(name)) document.error(["agents", name], `"${name}" is not a valid agent name (lowercase letters, digits, dashes, underscores).`);
      else if (block !== null && !isTable(block)) document.error(["agents", name], "must be a table/object.");
      else manifest.agents[name] = readAgent(name, block ?? {}, document);
    }
  },
};

function readAgent(name: string, block: { [key: string]: unknown }, document: ManifestDocument): AgentGovernance {
  const agent: AgentGovernance = { name, file: null, enabled: true, tools: { kind: "all" } };
  refuseBehaviour(name, block, document);
  const { file, enabled } = block;
  if (file !== undefined) {
    agent.file = typeof file === "string" ? agentFilePath(file) : null;
    if (agent.file === null) {
      document.error(["agents", name, "file"],
        "must be a repo-relative path to a `.md` file (e.g. `agents/<name>.md`): no leading \"/\" or \"-\", no \".\" or \"..\" segments, only letters, digits, spaces and `_ . -`.");
    }
  }
  if (typeof enabled === "boolean") agent.enabled = enabled;
  else if (enabled !== undefined) {
    document.error(["agents", name, "enabled"], "must be a boolean.");
    agent.enabled = false;
  }
  agent.tools = readToolAccess(block["tools"], ["agents", name, "tools"], document);
  return agent;
}

function refuseBehaviour(name: string, block: { [key: string]: unknown }, document: ManifestDocument): void {
  for (const key of BEHAVIOUR.filter((candidate) => candidate in block)) {
    document.error(["agents", name, key],
      `"${key}" is agent behavior — it lives in this agent's own \`.md\` frontmatter now, not in beeuni.yaml. Remove agents.${name}.${key} and set it in the ` +
      `frontmatter of the agent's \`.md\` (\`agents.${name}.file\`, default \`agents/<name>.md\`) instead.`);
  }
  if ("prompt_file" in block) document.error(["agents", name, "prompt_file"], "v2 agent behavior lives in its .md file.");
  if ("env" in block) document.error(["agents", name, "env"], "use `secrets` instead of `env` in beeuni_version 2 manifests.");
}
