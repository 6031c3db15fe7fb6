import { BeeuniError, formatModelRef, nearNames, type EndpointModel, type ModelRef } from "@beeuni/protocol";
import type { Routed } from "./principals.ts";
import type { Provider } from "./types.ts";

/** Limits of a model that nobody described: what current models have at least. */
const DEFAULT_LIMITS = { contextWindow: 128_000, maxOutput: 16_384, reasoning: false, images: false, variants: {} };

export function resolveModel(providers: readonly Provider[], ref: ModelRef): Routed {
  const provider = providers.find((candidate) => candidate.id === ref.provider);
  if (provider === undefined) throw unknownModel(ref, providers, `there is no provider "${ref.provider}"`);
  const known = provider.models.find((model) => model.id === ref.id);
  if (known !== undefined) return { provider, model: known };
  if (provider.closed === true) throw unknownModel(ref, providers, `${provider.label} has no such model`);
  return { provider, model: { id: ref.id, name: ref.id, ...DEFAULT_LIMITS } };
}

/**
 * Wire id → where it goes, for the models of one principal. The wire id is the provider's own id, since a request's
 * bytes are passed on untouched.
 */
export function routesOf(providers: readonly Provider[], refs: readonly ModelRef[]): Map<string, Routed> {
  const routes = new Map<string, Routed>();
  for (const ref of refs) {
    const routed = resolveModel(providers, ref);
    const taken = routes.get(ref.id);
    if (taken !== undefined && taken.provider !== routed.provider) {
      const message = `${taken.provider.id}/${ref.id} and ${formatModelRef(ref)} can't be used in one session: both are "${ref.id}" on the wire`;
      throw new BeeuniError("invalid_request", message, { hint: "use the model from one provider only" });
    }
    routes.set(ref.id, routed);
  }
  return routes;
}

export function endpointModels(routes: ReadonlyMap<string, Routed>): EndpointModel[] {
  return [...routes.values()].map(({ provider, model: { id, ...rest } }) => ({
    ...rest, ref: { provider: provider.id, id }, wireId: id, protocols: provider.protocols,
  }));
}

function unknownModel(ref: ModelRef, providers: readonly Provider[], why: string): BeeuniError {
  const known = providers.flatMap((provider) => provider.models.map((model) => `${provider.id}/${model.id}`));
  const near = nearNames(formatModelRef(ref), known);
  return new BeeuniError("model_not_found", `unknown model "${formatModelRef(ref)}": ${why}`, {
    hint: near.length > 0 ? `did you mean ${near.join(" or ")}?` : knownNames(providers, providers.find(({ id }) => id === ref.provider)),
  });
}

/** What could have been meant: the models of the provider where the provider is known, else the providers. */
function knownNames(providers: readonly Provider[], provider: Provider | undefined): string {
  if (provider === undefined) return `known providers: ${providers.map(({ id }) => id).join(", ")}`;
  return `models of ${provider.id}: ${provider.models.map(({ id }) => `${provider.id}/${id}`).join(", ")}`;
}
