import { z } from "zod";
import { PermissionReply, QuestionReplyBody } from "@beeuni/protocol";
import { wirePermission, wireQuestion } from "@beeuni/transcript";
import { readBody } from "../body.ts";
import type { Routes } from "../environment.ts";
import { findRequest } from "../requests.ts";
import type { WireOptions } from "./options.ts";

const Reply = z.looseObject({ reply: PermissionReply, message: z.string().optional() });
/** The older form. */
const Response = z.looseObject({ response: PermissionReply });

/** Permission requests and questions that wait for a person, and their answers. */
export function wireRequestRoutes(routes: Routes, { daemon }: WireOptions): void {
  routes.get("/permission", async (context) => context.json((await daemon.openRequests()).flatMap(({ permissions }) => permissions.map(wirePermission))));
  routes.get("/question", async (context) => context.json((await daemon.openRequests()).flatMap(({ questions }) => questions.map(wireQuestion))));

  routes.post("/permission/:id/reply", async (context) => {
    const { reply, message } = await readBody(context, Reply);
    const id = context.req.param("id");
    await (await findRequest(daemon, "permissions", id)).replyPermission(id, { reply, ...(message === undefined ? {} : { message }) });
    return context.json(true);
  });
  routes.post("/session/:session/permissions/:id", async (context) => {
    const { response } = await readBody(context, Response);
    const id = context.req.param("id");
    await (await findRequest(daemon, "permissions", id)).replyPermission(id, { reply: response });
    return context.json(true);
  });

  routes.post("/question/:id/reply", async (context) => {
    const { answers } = await readBody(context, QuestionReplyBody);
    const id = context.req.param("id");
    await (await findRequest(daemon, "questions", id)).replyQuestion(id, answers);
    return context.json(true);
  });
  routes.post("/question/:id/reject", async (context) => {
    const id = context.req.param("id");
    await (await findRequest(daemon, "questions", id)).rejectQuestion(id);
    return context.json(true);
  });
}
