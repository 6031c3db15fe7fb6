import { BeeuniError, PermissionReplyBody, QuestionReplyBody } from "@beeuni/protocol";
import type { OpenSession } from "../session/session-host.ts";
import { readBody } from "./body.ts";
import type { RouteOptions, Routes } from "./environment.ts";

/** Open permission requests and questions of every open session, and their answers. */
export function requestRoutes(routes: Routes, { daemon }: RouteOptions): void {
  const find = (kind: "permissions" | "questions", id: string): OpenSession => {
    const session = daemon.openSessions().find((open) => open.state()[kind].some((request) => request.id === id));
    if (session !== undefined) return session;
    const what = kind === "permissions" ? "permission request" : "question";
    throw new BeeuniError("not_found", `there is no open ${what} ${id}: it was answered, or its turn ended`);
  };

  routes.get("/beeuni/runtime/permissions", (context) => context.json(daemon.openSessions().flatMap((session) => session.state().permissions)));
  routes.post("/beeuni/runtime/permissions/:id/reply", async (context) => {
    const id = context.req.param("id");
    await find("permissions", id).replyPermission(id, await readBody(context, PermissionReplyBody));
    return context.json({ replied: true });
  });

  routes.get("/beeuni/runtime/questions", (context) => context.json(daemon.openSessions().flatMap((session) => session.state().questions)));
  routes.post("/beeuni/runtime/questions/:id/reply", async (context) => {
    const id = context.req.param("id");
    await find("questions", id).replyQuestion(id, (await readBody(context, QuestionReplyBody)).answers);
    return context.json({ replied: true });
  });
  routes.post("/beeuni/runtime/questions/:id/reject", async (context) => {
    const id = context.req.param("id");
    await find("questions", id).rejectQuestion(id);
    return context.json({ rejected: true });
  });
}
