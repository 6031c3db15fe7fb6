// hono: typed routes and path parameters over any request; its router is the one that people know.
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { BeeuniError } from "@beeuni/protocol";
import { agentRoutes } from "./agents.ts";
import { callRoutes } from "./calls.ts";
import type { RouteEnvironment, RouteOptions, Routes } from "./environment.ts";
import { errorResponse, notFound } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { featureRoutes } from "./features.ts";
import { healthRoutes } from "./health.ts";
import { messageRoutes } from "./messages.ts";
import { requestRoutes } from "./requests.ts";
import { sessionRoutes } from "./sessions.ts";
import { checkOrigin, checkToken } from "./trust.ts";
import { wirePassword, wireRoutes } from "./wire/index.ts";

export interface AppOptions extends RouteOptions {
  token: string;
  /** Name or address that the server listens on. */
  host: string;
  /** Bytes of a request's body. */
  bodyLimit: number;
}

/** Every route of the session API. Whatever goes wrong is answered as JSON. */
export function createApp(options: AppOptions): Routes {
  const app: Routes = new Hono<RouteEnvironment>();
  app.onError((thrown, context) => errorResponse(context, thrown));
  app.notFound(notFound);
  app.use(checkOrigin(options.host));
  healthRoutes(app, options);
  app.use(checkToken(options.token, wirePassword));
  app.use(bodyLimit({
    maxSize: options.bodyLimit,
    onError: () => {
      throw new BeeuniError("body_too_large", `the body is larger than ${size(options.bodyLimit)}`);
    },
  }));
  for (const add of [sessionRoutes, messageRoutes, agentRoutes, requestRoutes, callRoutes, eventRoutes, featureRoutes, wireRoutes]) add(app, options);
  return app;
}

function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / 1024 / 1024)} MiB`;
}
