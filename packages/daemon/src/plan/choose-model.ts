import { type AgentSpec, BeeuniError, type ModelRef, parseModelRef } from "@beeuni/protocol";
import type { Gateway } from "@beeuni/gateway";

export interface ModelChoice {
  /** `provider/model` that was asked for. */
  asked: string | undefined;
  variant: string | undefined;
  agent: AgentSpec;
  /** What it is when neither the request nor the agent says: the session's, or `provider/model` of the start. */
  otherwise: ModelRef | string | undefined;
}

/**
 * The model of a session or a prompt: asked for, else the agent's, else the default. Throws `no_model`, `invalid_request` for
 * what is no `provider/model`, `model_not_found` (with near names) for one that no provider has.
 */
export function chooseModel(gateway: Pick<Gateway, "resolve">, { asked, variant, agent, otherwise }: ModelChoice): ModelRef {
  const named = asked ?? agent.model ?? otherwise;
  if (named === undefined) {
    throw new BeeuniError("no_model", `no model is chosen: agent "${agent.name}" names none and there is no default`, {
      hint: "give --model provider/model; --model faux/demo works without a key",
    });
  }
  const model = typeof named === "string" ? parseModelRef(named) : named;
  if (model === undefined) throw new BeeuniError("invalid_request", `model must be "provider/model" (got "${String(named)}")`);
  gateway.resolve(model);
  const wanted = variant ?? model.variant ?? agent.variant ?? undefined;
  return { provider: model.provider, id: model.id, ...(wanted === undefined ? {} : { variant: wanted }) };
}
