import type { Issue, ToolAccess } from "@beeuni/protocol";

/** `beeuni.yaml`, version 2, as far as this version reads it. Values that failed validation are left at their defaults. */
export interface Manifest {
  /** Name of the root file. */
  file: string;
  version: number;
  /** null when missing or invalid. */
  defaultAgent: string | null;
  /** null when the key is absent or invalid. */
  runtime: string | null;
  /** In the order of the file. Behaviour is in the agents' own files; this is governance. */
  agents: { [name: string]: AgentGovernance };
  tools: ToolSelection;
}

export interface AgentGovernance {
  name: string;
  /** Repo-relative path of the agent's `.md`; null: `agents/<name>.md`. */
  file: string | null;
  /** false: the agent counts as undeclared. */
  enabled: boolean;
  tools: ToolAccess;
}

/** The tools that sessions get by name. */
export interface ToolSelection {
  /** Whether the manifest has a `tools` key (also an empty one); without it sessions get all Beeuni tools. */
  isDeclared: boolean;
  /** Beeuni tools that sessions get, in Beeuni's order. */
  system: string[];
  /** Project modules, in the order of the file. A module under a Beeuni tool's name replaces that tool. */
  modules: { name: string; path: string }[];
}

export interface ManifestResult {
  /** No issue is an error. */
  valid: boolean;
  /** null when the text can't be read at all (syntax, version). */
  manifest: Manifest | null;
  /** In the order of the file's sections; the missing version first. */
  issues: Issue[];
}

export interface ManifestOptions {
  /** Name that issues carry; default `beeuni.yaml`. */
  file?: string;
  /** Ids that `runtime` may have, in the order that a message lists them. */
  runtimes: readonly string[];
}
