import type { Context } from "hono";
import { z } from "zod";
import { BeeuniError, type Json, type SessionCapability } from "@beeuni/protocol";
import { type HarnessSession, requireFeature } from "@beeuni/harness";
import { readBody } from "./body.ts";
import type { RouteEnvironment, RouteOptions, Routes } from "./environment.ts";

type Features = Required<HarnessSession["features"]>;

/** A function that a harness may have, behind a path of the session wire. */
interface FeatureRoute {
  method: "get" | "post";
  path: string;
  capability: SessionCapability;
  /** What of the capability it is, for the message: "session rewind", "session rewind (restore)". */
  detail?: string;
  /** Undefined: no harness contract has it yet. */
  call?: (features: Features, context: Context<RouteEnvironment>) => Promise<unknown>;
}

const Rewind = z.object({ messageID: z.string({ error: "messageID is needed" }), partID: z.string().optional() });
const Fork = z.object({ messageID: z.string().optional() });
const Shell = z.object({ command: z.string({ error: "command is needed" }) });

const FEATURES: readonly FeatureRoute[] = [
  {
    method: "post", path: "/session/:id/revert", capability: "session.rewind",
    call: async (features, context) => {
      const { messageID, partID } = await readBody(context, Rewind);
      await features["session.rewind"](messageID, partID);
    },
  },
  { method: "post", path: "/session/:id/unrevert", capability: "session.rewind", detail: "restore" },
  {
    method: "post", path: "/session/:id/fork", capability: "session.fork",
    call: async (features, context) => await features["session.fork"]((await readBody(context, Fork)).messageID),
  },
  {
    method: "post", path: "/session/:id/shell", capability: "session.shell",
    call: async (features, context) => await features["session.shell"]((await readBody(context, Shell)).command),
  },
  { method: "get", path: "/session/:id/todo", capability: "session.todo", call: async (features) => await features["session.todo"]() },
  { method: "post", path: "/session/:id/summarize", capability: "session.compact", call: async (features) => await features["session.compact"]() },
  { method: "post", path: "/session/:id/command", capability: "session.commands", detail: "run" },
  { method: "get", path: "/session/:id/mcp", capability: "session.mcp", call: async (features) => await features["session.mcp"]() },
  { method: "get", path: "/session/:id/attach", capability: "session.attach", call: async (features) => await features["session.attach"]() },
];

/** Paths that edit a message of the transcript; no harness's contract has it. */
const EDITS = ["/session/:id/message/:message", "/session/:id/message/:message/part/:part"];

/**
 * Functions of the session wire that depend on the harness. One that it does not offer is answered with 501, never with
 * silence; a document that it does not have with 404. An unknown session is 404 first.
 */
export function featureRoutes(routes: Routes, { daemon }: RouteOptions): void {
  for (const { method, path, capability, detail, call } of FEATURES) {
    routes[method](path, async (context) => {
      const id = context.req.param("id")!;
      const harness = await daemon.harnessOf(id);
      if (call === undefined || !harness.capabilities.includes(capability)) throw notSupported(harness.id, capability, detail);
      const session = await daemon.openSession(id);
      const native = await session.runner.ready(session.state().info.model);
      // Throws the same 501 when the open session has no method for it.
      requireFeature(session.harness, native, capability);
      return context.json((await call(native.features as Features, context)) ?? { done: true });
    });
  }

  for (const path of EDITS) {
    routes.on(["PATCH", "PUT", "DELETE"], path, async (context) => {
      const harness = await daemon.harnessOf(context.req.param("id")!);
      const what = context.req.param("part" as never) === undefined ? "message edits are" : "part edits are";
      throw new BeeuniError("feature_not_supported", `${what} not supported by the ${harness.id} harness`);
    });
  }

  /** What belongs to the harness and to no session: an open session that has it answers. */
  routes.all("/mcp", async (context) => {
    const answer = await ofAnyOpen("session.mcp");
    if (answer === undefined) throw notSupported((await daemon.currentHarness()).id, "session.mcp", undefined);
    return context.json(answer);
  });
  routes.all("/global/config", async (context) => {
    const answer = await ofAnyOpen("session.config");
    if (answer === undefined) throw new BeeuniError("not_found", `the ${(await daemon.currentHarness()).id} harness has no configuration document`);
    return context.json(answer);
  });

  async function ofAnyOpen(capability: "session.mcp" | "session.config"): Promise<Json | undefined> {
    const session = daemon.openSessions().find(({ runner }) => runner.capabilities().includes(capability));
    if (session === undefined) return undefined;
    const native = await session.runner.ready(session.state().info.model);
    return await requireFeature(session.harness, native, capability)();
  }
}

function notSupported(harness: string, capability: SessionCapability, detail: string | undefined): BeeuniError {
  const what = `${capability.replace(".", " ")}${detail === undefined ? "" : ` (${detail})`}`;
  return new BeeuniError("feature_not_supported", `${what} is not supported by the ${harness} harness`, {
    hint: `\`beeuni harness show ${harness}\` lists what it offers`,
  });
}
