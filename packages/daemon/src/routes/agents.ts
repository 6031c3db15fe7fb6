import type { RouteOptions, Routes } from "./environment.ts";

export function agentRoutes(routes: Routes, { daemon }: RouteOptions): void {
  /** The agents that a session may be started with, as the project stands now. */
  routes.get("/beeuni/runtime/agents", async (context) => context.json(await daemon.agents()));
}
