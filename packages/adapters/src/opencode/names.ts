import { type AgentSet, BeeuniError, type EndpointModel, type ModelEndpoint, type ModelRef } from "@beeuni/protocol";

/** OpenCode's one provider in a session: the gateway. Its own providers are switched off. */
export const GATEWAY = "beeuni";

/** Agents that OpenCode runs by itself. One of the project's may have the same name and must not take their place. */
const INTERNAL = ["title", "summary", "compaction"];
const PREFIX = "project-";

/** Built-in sub-agents that stay: the `task` tool offers them beside the project's. */
export const BUILTIN_SUBAGENTS = ["general", "explore"];
/** Built-in lead agents. The project's own lead the session. */
export const BUILTIN_LEADS = ["build", "plan"];

/** What an agent of the project is called in OpenCode. */
export function nativeAgent(name: string): string {
  return INTERNAL.includes(name) || (name.startsWith(PREFIX) && INTERNAL.includes(name.slice(PREFIX.length))) ? PREFIX + name : name;
}

/** The project's agent behind OpenCode's name; undefined for OpenCode's own. */
export function agentOf(native: string, agents: Pick<AgentSet, "agents">): string | undefined {
  return agents.agents.find(({ name }) => nativeAgent(name) === native)?.name;
}

export function isInternalAgent(native: string): boolean {
  return INTERNAL.includes(native);
}

/** The models that can be called here: OpenCode speaks Chat Completions with the gateway. */
export function callableModels({ models }: ModelEndpoint): EndpointModel[] {
  return models.filter(({ protocols }) => protocols.includes("chat-completions"));
}

export function endpointModel(endpoint: ModelEndpoint, ref: ModelRef): EndpointModel | undefined {
  return callableModels(endpoint).find((model) => model.ref.provider === ref.provider && model.ref.id === ref.id);
}

/** The model that a session starts with: the lead agent's, else the first. Throws `no_model`. */
export function defaultModel(agents: AgentSet, endpoint: ModelEndpoint): EndpointModel {
  const lead = agents.agents.find(({ name }) => name === agents.default)?.model ?? null;
  const model = (lead === null ? undefined : endpointModel(endpoint, lead)) ?? callableModels(endpoint)[0];
  if (model === undefined) throw new BeeuniError("no_model", "the session has no model that OpenCode can call", { hint: "give a model with --model provider/model" });
  return model;
}
