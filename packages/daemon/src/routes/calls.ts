import { z } from "zod";
import { readQuery } from "./body.ts";
import type { RouteOptions, Routes } from "./environment.ts";

/** The model requests of the wire trace. `:id` is a call's, a message's or a part's. */
export function callRoutes(routes: Routes, { daemon }: RouteOptions): void {
  routes.get("/beeuni/runtime/calls", async (context) => {
    const { session } = readQuery(context, z.object({ session: z.string({ error: "session is needed" }) }));
    return context.json(await daemon.calls(session));
  });

  routes.get("/beeuni/runtime/calls/:id", async (context) => {
    const { session } = readQuery(context, z.object({ session: z.string().optional() }));
    return context.json((await daemon.call(context.req.param("id"), session)).call);
  });

  for (const side of ["request", "response"] as const) {
    /** The body's bytes exactly as they passed. */
    routes.get(`/beeuni/runtime/calls/:id/${side}`, async (context) => {
      const { session } = readQuery(context, z.object({ session: z.string().optional() }));
      const found = await daemon.call(context.req.param("id")!, session);
      const body = await daemon.callBody(found, side);
      return context.body(new Uint8Array(body), 200, {
        "content-type": "application/octet-stream", "content-length": String(body.length), "x-beeuni-call": found.call.id,
        "x-beeuni-sha256": found.call[side].sha256,
      });
    });
  }
}
