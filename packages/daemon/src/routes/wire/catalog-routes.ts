import type { LocalDaemon } from "../../local-daemon.ts";
import type { Routes } from "../environment.ts";
import { defaultModels, type NamedModel, namedModels, wireAgents, type WireProvider, wireProviders } from "./catalog.ts";
import type { WireOptions } from "./options.ts";

/** What a client reads before it can start anything: without these four its terminal client ends at once. */
export function catalogRoutes(routes: Routes, { daemon }: WireOptions): void {
  routes.get("/config/providers", async (context) => {
    const providers = await providersOf(daemon);
    return context.json({ providers, default: defaultModels(providers) });
  });

  routes.get("/provider", async (context) => {
    const all = await providersOf(daemon);
    return context.json({ all, default: defaultModels(all), connected: all.map(({ id }) => id) });
  });

  routes.get("/agent", async (context) => context.json(wireAgents(await daemon.agentSet())));

  routes.get("/config", async (context) => {
    const { default: agent } = await daemon.agentSet();
    return context.json({ ...(daemon.defaultModel === undefined ? {} : { model: daemon.defaultModel }), default_agent: agent, share: "disabled", autoupdate: false });
  });
}

export async function providersOf(daemon: LocalDaemon): Promise<WireProvider[]> {
  const refs = namedModels(await daemon.agentSet(), daemon.defaultModel);
  const named = refs.flatMap((ref): NamedModel[] => {
    const model = daemon.findModel(ref);
    return model === undefined ? [] : [{ provider: ref.provider, model }];
  });
  return wireProviders(daemon.providers, named);
}
