import type { RouteOptions, Routes } from "../environment.ts";
import { apiDocumentRoutes } from "./api-documents.ts";
import { catalogRoutes } from "./catalog-routes.ts";
import { checkDirectory } from "./directory.ts";
import { documentRoutes } from "./documents.ts";
import { wireEventRoutes } from "./events.ts";
import { wireMessageRoutes } from "./messages.ts";
import { notServedRoutes } from "./not-served.ts";
import { wireOptions } from "./options.ts";
import { wireRequestRoutes } from "./requests.ts";
import { wireSessionRoutes } from "./sessions.ts";

export { wirePassword } from "./credentials.ts";

/**
 * The session wire that clients of OpenCode speak, for every harness: a projection of the sessions' own logs. What each route
 * answers is listed in docs/sessions.md. Comes after every other route.
 */
export function wireRoutes(routes: Routes, options: RouteOptions): void {
  const wire = wireOptions(options);
  routes.use(checkDirectory(options.daemon.directory));
  for (const add of [catalogRoutes, documentRoutes, apiDocumentRoutes, wireSessionRoutes, wireMessageRoutes, wireRequestRoutes, wireEventRoutes]) add(routes, wire);
  notServedRoutes(routes);
}
