import type { RouteOptions, Routes } from "./environment.ts";

/** `GET /beeuni/health[?session=]`: always 200 and without a token; `status` tells. */
export function healthRoutes(routes: Routes, { daemon }: RouteOptions): void {
  routes.get("/beeuni/health", async (context) => context.json(await daemon.health(context.req.query("session"))));
}
