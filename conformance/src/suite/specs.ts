import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelEndpoint } from "@beeuni/protocol";
import type { AgentSet, AgentSpec, SessionSpec, TurnInput } from "@beeuni/harness";

export const DEMO = { provider: "faux", id: "demo" } as const;

/** An endpoint with the built-in demo model at `root`. */
export function endpointAt(root: string): ModelEndpoint {
  return {
    root,
    models: [{
      ref: DEMO, wireId: "demo", name: "Demo", protocols: ["chat-completions"],
      contextWindow: 200_000, maxOutput: 8_000, reasoning: false, images: false, variants: {},
    }],
  };
}

export function agentSpec(patch: Partial<AgentSpec> = {}): AgentSpec {
  return {
    name: "main", description: "", mode: "primary", prompt: "", model: null, variant: null, temperature: null, topP: null,
    steps: null, options: {}, permissions: [], tools: { kind: "all" }, ...patch,
  };
}

export function agentSet(patch: Partial<AgentSet> = {}): AgentSet {
  return { default: "main", agents: [agentSpec()], rulesFile: null, hostTools: [], ...patch };
}

/** A session's folders, which go away with `dispose`. */
export interface Folders { root: string; workspace: string; stateDir: string; dispose: () => Promise<void> }

export async function makeFolders(): Promise<Folders> {
  const root = await mkdtemp(join(tmpdir(), "beeuni-conformance-"));
  const folders = { root, workspace: join(root, "workspace"), stateDir: join(root, "state") };
  await mkdir(folders.workspace);
  await mkdir(folders.stateDir);
  return { ...folders, dispose: () => rm(root, { recursive: true, force: true }) };
}

/** What a command of the agent needs to run at all. */
export const COMMAND_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };

export function sessionSpec(folders: { workspace: string; stateDir: string }, patch: Partial<SessionSpec> = {}): SessionSpec {
  return {
    session: "ses_conformance", workspace: folders.workspace, stateDir: folders.stateDir, toolchainDir: "", surface: "project",
    agents: agentSet(), endpoint: endpointAt("http://127.0.0.1:9/s/none"), resume: null, history: [], commandEnv: COMMAND_ENV, ...patch,
  };
}

let turns = 0;

/** A prompt of its own turn. */
export function prompt(text: string, patch: Partial<TurnInput> = {}): TurnInput {
  return { turn: `trn_${++turns}`, agent: "main", model: DEMO, parts: [{ type: "text", text }], ...patch };
}
