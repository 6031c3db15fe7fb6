import type { AgentSet, AgentSpec, EnforcedRule, ModelEndpoint } from "@beeuni/protocol";
import { hostEnforcedRules, type Compiled, type Surface } from "@beeuni/harness";
import { dialect } from "./dialect.ts";
import { endpointModel } from "./models.ts";

/**
 * What Pi gets for a session. It runs in this process and reads no file of the project: prompts, tools and models are
 * handed to it in memory, so there is nothing to write and nobody to pass arguments to. Pure.
 */
export function compile(agents: AgentSet, endpoint: ModelEndpoint, _surface: Surface): Compiled {
  const rules: { [agent: string]: EnforcedRule[] } = {};
  for (const agent of agents.agents) rules[agent.name] = hostEnforcedRules(agent, dialect);
  return { files: {}, env: {}, argv: [], rules, unsupported: agents.agents.flatMap((agent) => unsupportedOf(agent, endpoint)) };
}

function unsupportedOf(agent: AgentSpec, endpoint: ModelEndpoint): Compiled["unsupported"] {
  const field = (name: string): string => `agents.${agent.name}.${name}`;
  const problems: Compiled["unsupported"] = [];
  const options = Object.keys(agent.options);
  if (options.length > 0) {
    problems.push({ field: field("options"), effect: `not sent to the model: ${options.join(", ")}`, why: "this harness does not apply provider options" });
  }
  const model = agent.model === null ? undefined : endpointModel(endpoint, agent.model);
  if (agent.variant !== null && model !== undefined && model.variants[agent.variant] === undefined) {
    const offered = Object.keys(model.variants);
    problems.push({
      field: field("variant"), effect: `"${agent.variant}" changes nothing`,
      why: `the model ${model.ref.provider}/${model.ref.id} has ${offered.length === 0 ? "no variants" : `the variants ${offered.join(", ")}`}`,
    });
  }
  return problems;
}
