import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { z } from "zod";
import { serveEventStream } from "../stream/event-stream.ts";
import { readQuery } from "./body.ts";
import type { RouteOptions, Routes } from "./environment.ts";

const Query = z.object({ session: z.string({ error: "session is needed" }), lastEventId: z.string().optional() });

/** `GET /beeuni/events?session=`: the session's event stream. `Last-Event-ID` (or `?lastEventId=`) says where the client is. */
export function eventRoutes(routes: Routes, { daemon, maxBehind, heartbeatMs }: RouteOptions): void {
  routes.get("/beeuni/events", async (context) => {
    const { session: id, lastEventId } = readQuery(context, Query);
    const { log, hub } = await daemon.openSession(id);
    void serveEventStream(context.env.outgoing, {
      session: id, log, hub, maxBehind, cursor: context.req.header("last-event-id") ?? lastEventId,
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    });
    return RESPONSE_ALREADY_SENT;
  });
}
