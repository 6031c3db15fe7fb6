import { CreateSession, Prompt } from "@beeuni/protocol";
import { readBody } from "./body.ts";
import { answerLate } from "./answer-late.ts";
import type { RouteOptions, Routes } from "./environment.ts";

export function sessionRoutes(routes: Routes, { daemon }: RouteOptions): void {
  routes.get("/beeuni/runtime/sessions", async (context) => context.json(await daemon.sessions()));

  routes.post("/beeuni/runtime/sessions", async (context) => {
    const session = await daemon.createSession(await readBody(context, CreateSession));
    return context.json(await daemon.entry(session.id), 201);
  });

  routes.get("/beeuni/runtime/sessions/:id", async (context) => context.json(await daemon.entry(context.req.param("id"))));

  routes.delete("/beeuni/runtime/sessions/:id", async (context) => {
    await daemon.removeSession(context.req.param("id"));
    return context.json({ removed: true });
  });

  routes.post("/beeuni/runtime/sessions/:id/prompt", async (context) => {
    const { message_id, wait, ...prompt } = await readBody(context, Prompt);
    const session = await daemon.openSession(context.req.param("id"));
    const { done, ...accepted } = await session.prompt({
      parts: prompt.parts,
      ...(message_id === undefined ? {} : { messageId: message_id }),
      ...(prompt.agent === undefined ? {} : { agent: prompt.agent }),
      ...(prompt.model === undefined ? {} : { model: prompt.model }),
      ...(prompt.variant === undefined ? {} : { variant: prompt.variant }),
    });
    if (wait !== true) return context.json(accepted, 202);
    return await answerLate(context, done.then((result) => ({ ...accepted, result })));
  });

  routes.post("/beeuni/runtime/sessions/:id/abort", async (context) => context.json({ aborted: await daemon.abort(context.req.param("id")) }));

  routes.post("/beeuni/runtime/sessions/:id/restart", async (context) => {
    const session = await daemon.restartSession(context.req.param("id"));
    return context.json(await session.health());
  });

  /** Stops whatever runs in any open session. */
  routes.post("/beeuni/abort", async (context) => {
    const aborted = await Promise.all(daemon.openSessions().map((session) => session.abort()));
    return context.json({ aborted: aborted.includes(true) });
  });
}
