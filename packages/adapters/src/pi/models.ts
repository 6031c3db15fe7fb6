import type { EndpointModel, Json, ModelEndpoint, ModelProtocol, ModelRef } from "@beeuni/protocol";
import { compatOf } from "./compat.ts";
import { THINKING_LEVELS, type NativeModel, type ThinkingLevel } from "./sdk.ts";

/** Pi's one provider in a session: the gateway. The providers that Pi knows by itself are never used. */
export const GATEWAY = "beeuni";

/** The protocols that Pi speaks. Anthropic's client adds `/v1` to its base URL by itself. */
const APIS: { [P in ModelProtocol]: { api: string; path: string } } = {
  "chat-completions": { api: "openai-completions", path: "/v1" },
  responses: { api: "openai-responses", path: "/v1" },
  messages: { api: "anthropic-messages", path: "" },
};

/** The first of the model's protocols that Pi speaks: the provider lists the one it serves best first. */
export function protocolOf(protocols: readonly ModelProtocol[]): ModelProtocol | undefined {
  return protocols.find((protocol) => Object.hasOwn(APIS, protocol));
}

/**
 * The provider as Pi takes it: every model of the endpoint, called at the gateway. `known` answers what Pi itself knows of a
 * model (how it wants its reasoning, what its server can't do); limits and address are the endpoint's.
 */
export function gatewayProvider(endpoint: ModelEndpoint, known: (provider: string, id: string) => NativeModel | undefined = () => undefined): object {
  const models = endpoint.models.flatMap((model) => {
    const protocol = protocolOf(model.protocols);
    return protocol === undefined ? [] : [nativeModel(endpoint.root, model, protocol, known(model.ref.provider, model.ref.id))];
  });
  // The gateway holds the keys; the token in its path is all it wants. Pi insists on a key.
  return { name: "Beeuni gateway", baseUrl: `${endpoint.root}/v1`, apiKey: "beeuni", api: "openai-completions", models };
}

function nativeModel(root: string, model: EndpointModel, protocol: ModelProtocol, known: NativeModel | undefined): object {
  const { api, path } = APIS[protocol];
  const same = known?.api === api ? known : undefined;
  return {
    id: model.wireId, name: model.name, api, baseUrl: root + path, reasoning: model.reasoning,
    input: model.images ? ["text", "image"] : ["text"], contextWindow: model.contextWindow, maxTokens: model.maxOutput,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    thinkingLevelMap: { ...levelsOf(model), ...same?.thinkingLevelMap },
    compat: { ...compatOf(model.ref.provider, protocol), ...same?.compat },
  };
}

/** Pi offers its two highest levels only to models that name them. */
function levelsOf(model: EndpointModel): { [level: string]: string } {
  const efforts = Object.values(model.variants).map(({ reasoning_effort: effort }) => effort);
  return Object.fromEntries(efforts.flatMap((effort) => (effort === "xhigh" || effort === "max" ? [[effort, effort]] : [])));
}

export function endpointModel(endpoint: ModelEndpoint, ref: ModelRef): EndpointModel | undefined {
  return endpoint.models.find((model) => model.ref.provider === ref.provider && model.ref.id === ref.id);
}

/** How the requests of a turn are to be sampled. */
export interface Sampling {
  /** null: nothing was asked for, the provider's default holds. `off`: no reasoning was asked for. */
  thinking: ThinkingLevel | null;
  temperature: number | null;
  /** Fields for the request's body, as they are. */
  body: { [field: string]: Json };
}

/**
 * What an agent's `temperature` and `top_p` and a model's variant mean for a request. An effort that Pi has a level for is
 * left to Pi, which writes it the way the model's protocol wants it; all else goes into the body as it is.
 */
export function samplingOf(model: EndpointModel, agent: { temperature: number | null; topP: number | null }, variant: string | null): Sampling {
  const { reasoning_effort: effort, ...settings } = (variant === null ? undefined : model.variants[variant]) ?? {};
  const body: { [field: string]: Json } = { ...settings, ...(agent.topP === null ? {} : { top_p: agent.topP }) };
  const level = effort === "none" ? "off" : effort;
  const isLevel = model.reasoning && (THINKING_LEVELS as readonly unknown[]).includes(level);
  if (effort !== undefined && !isLevel) body["reasoning_effort"] = effort;
  return { thinking: isLevel ? (level as ThinkingLevel) : null, temperature: agent.temperature, body };
}
