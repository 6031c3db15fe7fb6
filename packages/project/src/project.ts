import type { Manifest } from "@beeuni/manifest";
import type { AgentSet, AgentSpec, Issue } from "@beeuni/protocol";

/** A project folder as a session reads it. Loading never fails for what the files say: that is in `issues`. */
export interface Project {
  /** Absolute, symbolic links resolved. */
  directory: string;
  /** null: no project file, or one that can't be read (then `issues` has an error). */
  manifest: Manifest | null;
  /** Whether the folder has a project file, readable or not. */
  isProject: boolean;
  /** Whether sessions can start at all: the manifest has no error. A broken agent file does not make a project unusable. */
  isUsable: boolean;
  /**
   * The agents that may start, the rules file and the default agent. `hostTools` is empty here: the tools that really
   * loaded belong in it.
   */
  agentSet: AgentSet;
  /** Every agent, also those that can't start, with why. */
  agents: AgentEntry[];
  /** Project tool modules, declared by the manifest. */
  toolModules: { name: string; path: string }[];
  /** Beeuni tools that sessions get. */
  systemTools: string[];
  /** All problems, with file, line and column. */
  issues: Issue[];
}

export interface AgentEntry {
  name: string;
  /** Path of its `.md`, relative to the project; null when it has none. */
  file: string | null;
  /** `broken`: its file can't be used, see `issues`. `undeclared`: a file that the manifest does not name. */
  state: "ready" | "disabled" | "broken" | "undeclared";
  issues: Issue[];
  /** Set when ready. */
  spec: AgentSpec | null;
}
