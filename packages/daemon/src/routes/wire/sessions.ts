import { z } from "zod";
import { BeeuniError, PermissionRule, type SessionEntry } from "@beeuni/protocol";
import { wireSession, wireSessionInfo, type WireStatus, wireStatus } from "@beeuni/transcript";
import { readBody, readQuery } from "../body.ts";
import type { Routes } from "../environment.ts";
import type { WireOptions } from "./options.ts";
import { readWireSession, requireRoot } from "./reading.ts";

/** Clients send more than is read here; what is not known is left alone. */
const Create = z.looseObject({
  title: z.string().optional(), parentID: z.string().optional(), agent: z.string().optional(),
  model: z.looseObject({ providerID: z.string(), id: z.string().optional(), modelID: z.string().optional(), variant: z.string().optional() }).optional(),
  permission: z.array(PermissionRule).optional(),
});
const Update = z.looseObject({ title: z.string().optional(), time: z.looseObject({ archived: z.number().int().nonnegative().optional() }).optional() });
const List = z.looseObject({
  roots: z.enum(["true", "false"]).optional(), limit: z.coerce.number().int().positive().optional(), start: z.coerce.number().optional(), search: z.string().optional(),
});

export function wireSessionRoutes(routes: Routes, { daemon, context: wire }: WireOptions): void {
  /** The newest activity first; sub-agents' sessions too, unless only roots are wanted. */
  routes.get("/session", async (context) => {
    const { roots, limit, start = 0, search = "" } = readQuery(context, List);
    const entries = (await daemon.trees()).flatMap(({ entry, children }) => (roots === "true" ? [entry] : [entry, ...children]));
    const wanted = entries
      .filter(({ title, updatedAt }) => updatedAt >= start && title.toLowerCase().includes(search.toLowerCase()))
      .sort((a, b) => b.updatedAt - a.updatedAt);
    return context.json(wanted.slice(0, limit).map((entry) => wireSessionInfo(infoOf(entry), wire)));
  });

  routes.post("/session", async (context) => {
    const { title, parentID, agent, model, permission } = await readBody(context, Create);
    if (parentID !== undefined) throw new BeeuniError("feature_not_supported", "a session under another one is made by its sub-agents only", { hint: "leave parentID out" });
    const id = model?.id ?? model?.modelID;
    const session = await daemon.createSession({
      ...(title === undefined ? {} : { title: title.slice(0, 200) }), ...(agent === undefined ? {} : { agent }),
      ...(model === undefined || id === undefined ? {} : { model: `${model.providerID}/${id}` }), ...(permission === undefined ? {} : { rules: permission }),
    });
    return context.json(wireSession(session.state(), wire));
  });

  /** What is not idle. */
  routes.get("/session/status", (context) => {
    const sessions = daemon.openSessions().flatMap(({ log }) => Object.values(log.state.sessions));
    const busy = sessions.filter(({ status }) => status.type !== "idle").map(({ info, status }): [string, WireStatus] => [info.id, wireStatus(status)]);
    return context.json(Object.fromEntries(busy));
  });

  routes.get("/session/:id", async (context) => context.json(wireSession((await readWireSession(daemon, context.req.param("id"))).state, wire)));

  routes.patch("/session/:id", async (context) => {
    const id = context.req.param("id");
    const { title, time } = await readBody(context, Update);
    await readWireSession(daemon, id);
    await daemon.updateSession(id, { ...(title === undefined ? {} : { title: title.slice(0, 200) }), ...(time?.archived === undefined ? {} : { archivedAt: time.archived }) });
    return context.json(wireSession((await readWireSession(daemon, id)).state, wire));
  });

  routes.delete("/session/:id", async (context) => {
    const reading = await readWireSession(daemon, context.req.param("id"));
    requireRoot(reading, "removing");
    await daemon.removeSession(reading.root);
    return context.json(true);
  });

  routes.get("/session/:id/children", async (context) => {
    const id = context.req.param("id");
    await readWireSession(daemon, id);
    const children = (await daemon.trees()).flatMap((tree) => tree.children).filter(({ parent }) => parent === id);
    return context.json(children.map((entry) => wireSessionInfo(infoOf(entry), wire)));
  });

  /** Files are not followed: there is nothing to compare. */
  routes.get("/session/:id/diff", async (context) => {
    await readWireSession(daemon, context.req.param("id"));
    return context.json([]);
  });

  /** `true` also when nothing runs. */
  routes.post("/session/:id/abort", async (context) => {
    const { root } = await readWireSession(daemon, context.req.param("id"));
    await daemon.abort(root);
    return context.json(true);
  });
}

function infoOf({ status: _status, messages: _messages, ...info }: SessionEntry): Omit<SessionEntry, "status" | "messages"> {
  return info;
}
