// zod: query parameters are checked at the border.
import { z } from "zod";
import { BeeuniError } from "@beeuni/protocol";
import { readQuery } from "./body.ts";
import type { RouteOptions, Routes } from "./environment.ts";

const Page = z.object({
  limit: z.coerce.number({ error: "limit must be a whole number from 1 to 200" }).int().min(1).max(200).default(20),
  /** Id of a message: the page ends before it. */
  before: z.string().optional(),
});

export function messageRoutes(routes: Routes, { daemon }: RouteOptions): void {
  /** The newest `limit` messages, oldest first. `x-next-cursor` is the `before` of the page before, when there is one. */
  routes.get("/beeuni/runtime/messages/:session", async (context) => {
    const { limit, before } = readQuery(context, Page);
    const { state } = await daemon.read(context.req.param("session"));
    const end = before === undefined ? state.messages.length : state.messages.findIndex(({ info }) => info.id === before);
    if (end < 0) throw new BeeuniError("not_found", `before: there is no message ${before} in this session`);
    const page = state.messages.slice(Math.max(0, end - limit), end);
    if (end > limit) context.header("x-next-cursor", page[0]!.info.id);
    return context.json(page);
  });

  routes.get("/beeuni/runtime/messages/:session/:message", async (context) => {
    const { session, message } = context.req.param();
    const { state } = await daemon.read(session);
    const found = state.messages.find(({ info }) => info.id === message);
    if (found === undefined) throw new BeeuniError("not_found", `there is no message ${message} in the session ${session}`);
    return context.json(found);
  });

  /** The whole session, folded. `If-None-Match` with the last answer's ETag gets 304 while nothing happened. */
  routes.get("/beeuni/runtime/state", async (context) => {
    const { session } = readQuery(context, z.object({ session: z.string({ error: "session is needed" }) }));
    const { state, seq, epoch } = await daemon.read(session);
    const etag = `"${epoch}:${seq}"`;
    context.header("etag", etag);
    if (context.req.header("if-none-match") === etag) return context.body(null, 304);
    return context.json({ ...state, seq, epoch });
  });
}
