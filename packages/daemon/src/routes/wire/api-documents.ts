import type { Routes } from "../environment.ts";
import { providersOf } from "./catalog-routes.ts";
import type { WireModel, WireProvider } from "./catalog.ts";
import type { WireOptions } from "./options.ts";

/**
 * The few documents under `/api` that clients read beside the older ones. No turn runs through them: the rest of `/api` is
 * not served.
 */
export function apiDocumentRoutes(routes: Routes, { daemon, context: { projectID } }: WireOptions): void {
  const { directory } = daemon;
  const location = { directory, project: { id: projectID, directory } };
  const document = (path: string, data: () => Promise<unknown[]>): void => {
    routes.get(`/api/${path}`, async (context) => context.json({ location, data: await data() }));
  };

  routes.get("/api/health", (context) => context.json({ healthy: true }));
  routes.get("/api/location", (context) => context.json(location));
  document("agent", async () => (await daemon.agentSet()).agents.map(({ name, description, mode, model, steps, permissions }) => ({
    id: name, description, mode, hidden: false, request: { headers: {}, body: {} },
    permissions: permissions.map(({ permission, pattern, action }) => ({ action: permission, resource: pattern, effect: action })),
    ...(model === null ? {} : { model: { id: model.id, providerID: model.provider } }), ...(steps === null ? {} : { steps }),
  })));
  document("provider", async () => (await providersOf(daemon)).map(({ id, name }) => ({ id, name, api: native(id), request: { headers: {}, body: {} } })));
  document("model", async () => (await providersOf(daemon)).flatMap(modelsOf));
  for (const path of ["integration", "command", "skill", "reference", "fs/find"]) document(path, async () => []);
}

function modelsOf({ models }: WireProvider): object[] {
  return Object.values(models).map(apiModel);
}

function apiModel({ id, providerID, name, capabilities, cost, limit, status, variants }: WireModel): object {
  const media = (kinds: { [kind: string]: boolean }): string[] => Object.keys(kinds).filter((kind) => kinds[kind]);
  return {
    id, providerID, name, api: native(id), capabilities: { tools: capabilities.toolcall, input: media({ ...capabilities.input }), output: media({ ...capabilities.output }) },
    request: { headers: {}, body: {} }, variants: Object.keys(variants).map((variant) => ({ id: variant, headers: {}, body: {} })),
    time: { released: 0 }, cost: [cost], status, enabled: true, limit,
  };
}

/** The model is called by this server, not by the client. */
function native(id: string): object {
  return { id, type: "native", settings: {} };
}
