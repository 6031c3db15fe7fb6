import { BeeuniError, PermissionReplyBody, QuestionReplyBody } from "@beeuni/protocol";
import type { LocalDaemon } from "../local-daemon.ts";
import type { OpenSession } from "../session/session-host.ts";
import { readBody } from "./body.ts";
import type { RouteOptions, Routes } from "./environment.ts";

/** The open session that waits for this answer. Throws `not_found`. */
export async function findRequest(daemon: LocalDaemon, kind: "permissions" | "questions", id: string): Promise<OpenSession> {
  const found = (await daemon.openRequests()).find((open) => open[kind].some((request) => request.id === id));
  if (found !== undefined) return found.session;
  const what = kind === "permissions" ? "permission request" : "question";
  throw new BeeuniError("not_found", `there is no open ${what} ${id}: it was answered, or its turn ended`);
}

/** Open permission requests and questions of every open session, and their answers. */
export function requestRoutes(routes: Routes, { daemon }: RouteOptions): void {
  routes.get("/beeuni/runtime/permissions", async (context) => context.json((await daemon.openRequests()).flatMap(({ permissions }) => permissions)));
  routes.post("/beeuni/runtime/permissions/:id/reply", async (context) => {
    const id = context.req.param("id");
    const body = await readBody(context, PermissionReplyBody);
    await (await findRequest(daemon, "permissions", id)).replyPermission(id, body);
    return context.json({ replied: true });
  });

  routes.get("/beeuni/runtime/questions", async (context) => context.json((await daemon.openRequests()).flatMap(({ questions }) => questions)));
  routes.post("/beeuni/runtime/questions/:id/reply", async (context) => {
    const id = context.req.param("id");
    const { answers } = await readBody(context, QuestionReplyBody);
    await (await findRequest(daemon, "questions", id)).replyQuestion(id, answers);
    return context.json({ replied: true });
  });
  routes.post("/beeuni/runtime/questions/:id/reject", async (context) => {
    const id = context.req.param("id");
    await (await findRequest(daemon, "questions", id)).rejectQuestion(id);
    return context.json({ rejected: true });
  });
}
