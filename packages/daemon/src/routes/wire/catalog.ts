import { type AgentSet, type AgentSpec, formatModelRef, type ModelRef, type PermissionRule, parseModelRef } from "@beeuni/protocol";
import type { Provider, ProviderModel } from "@beeuni/gateway";

/** The providers and models of the gateway, as clients of the wire pick from them. No key is among it. */
export interface WireProvider {
  id: string;
  name: string;
  source: "custom";
  env: string[];
  options: { [key: string]: unknown };
  models: { [id: string]: WireModel };
}

export interface WireModel {
  id: string;
  providerID: string;
  name: string;
  api: { id: string; url: string; npm: string };
  capabilities: {
    temperature: boolean; reasoning: boolean; attachment: boolean; toolcall: boolean; input: Media; output: Media; interleaved: boolean;
  };
  cost: { input: number; output: number; cache: { read: number; write: number } };
  limit: { context: number; output: number };
  status: "active";
  options: { [key: string]: unknown };
  headers: { [name: string]: string };
  release_date: string;
  variants: { [name: string]: { [key: string]: unknown } };
}
interface Media { text: boolean; audio: boolean; image: boolean; video: boolean; pdf: boolean }

/** What a client must be able to pick although its provider does not list it: the server's and the agents' models. */
export type NamedModel = { provider: string; model: ProviderModel };

export function wireProviders(providers: readonly Provider[], named: readonly NamedModel[]): WireProvider[] {
  return providers.map(({ id, label, models }) => {
    const more = named.filter(({ provider, model }) => provider === id && !models.some((known) => known.id === model.id)).map(({ model }) => model);
    return {
      id, name: label, source: "custom", env: [], options: {},
      models: Object.fromEntries([...models, ...more].map((model) => [model.id, wireModel(id, model)])),
    };
  });
}

/** Provider → the model that it is asked for when nobody names one. */
export function defaultModels(providers: readonly WireProvider[]): { [provider: string]: string } {
  return Object.fromEntries(providers.flatMap(({ id, models }) => Object.keys(models).slice(0, 1).map((model) => [id, model])));
}

function wireModel(providerID: string, { id, name, contextWindow, maxOutput, reasoning, images, variants }: ProviderModel): WireModel {
  const media = (image: boolean): Media => ({ text: true, audio: false, image, video: false, pdf: false });
  return {
    id, providerID, name, api: { id, url: "", npm: "" },
    capabilities: { temperature: true, reasoning, attachment: images, toolcall: true, input: media(images), output: media(false), interleaved: false },
    cost: { input: 0, output: 0, cache: { read: 0, write: 0 } }, limit: { context: contextWindow, output: maxOutput }, status: "active",
    options: {}, headers: {}, release_date: "", variants,
  };
}

export interface WireAgent {
  name: string;
  description: string;
  mode: AgentSpec["mode"];
  native: boolean;
  permission: PermissionRule[];
  options: AgentSpec["options"];
  model?: { providerID: string; modelID: string };
  variant?: string;
  temperature?: number;
  topP?: number;
  steps?: number;
}

/** The agents, the default one first: clients begin with the first that can lead a session. */
export function wireAgents({ agents, default: preset }: AgentSet): WireAgent[] {
  return [...agents].sort((a, b) => Number(b.name === preset) - Number(a.name === preset)).map(wireAgent);
}

function wireAgent({ name, description, mode, permissions, options, model, variant, temperature, topP, steps }: AgentSpec): WireAgent {
  return {
    name, description, mode, native: false, permission: permissions, options,
    ...(model === null ? {} : { model: { providerID: model.provider, modelID: model.id } }),
    ...(variant === null ? {} : { variant }), ...(temperature === null ? {} : { temperature }), ...(topP === null ? {} : { topP }), ...(steps === null ? {} : { steps }),
  };
}

/** The models that somebody named, without repeats. */
export function namedModels({ agents }: AgentSet, defaultModel: string | undefined): ModelRef[] {
  const refs = [defaultModel === undefined ? undefined : parseModelRef(defaultModel), ...agents.map(({ model }) => model)];
  return [...new Map(refs.filter((ref) => ref !== undefined && ref !== null).map((ref) => [formatModelRef(ref), ref])).values()];
}
