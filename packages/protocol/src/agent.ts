import type { Json } from "./json.ts";
import type { ModelRef } from "./model.ts";
import type { PermissionRule } from "./permission.ts";

/** One agent, resolved from its file and the manifest. Behaviour only; nothing here is a secret. */
export interface AgentSpec {
  name: string;
  description: string;
  mode: "primary" | "subagent" | "all";
  /** Body of the agent's file; empty means the harness's default prompt. */
  prompt: string;
  model: ModelRef | null;
  variant: string | null;
  temperature: number | null;
  topP: number | null;
  /** Most tool-calling model steps in one turn. */
  steps: number | null;
  /** Provider options, passed to the model request where the harness can. */
  options: { [key: string]: Json };
  /** Rules as written, in file order. */
  permissions: PermissionRule[];
  /** Which tools the agent may see and call. Others are hidden and denied. */
  tools: ToolAccess;
}

export type ToolAccess = { kind: "all" } | { kind: "none" } | { kind: "only"; names: string[] } | { kind: "exclude"; names: string[] };

export interface AgentSet {
  default: string;
  agents: AgentSpec[];
  /** Root rules file (AGENTS.md or CLAUDE.md), null when there is none. */
  rulesFile: RulesFile | null;
  /** Host tools (project tools) by name, as the model sees them. */
  hostTools: HostToolSpec[];
}

export interface RulesFile {
  source: "workspace" | "release";
  path: string;
  text: string;
  bytes: number;
  /** First 12 hex digits of its sha256. */
  sha: string;
}

export interface HostToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments, `type: "object"`. */
  parameters: { [key: string]: Json };
}
