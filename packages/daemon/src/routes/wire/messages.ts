import { z } from "zod";
import { BeeuniError, isId } from "@beeuni/protocol";
import { wireAnswer, type WireMessage, wireMessages } from "@beeuni/transcript";
import type { AcceptedPrompt } from "../../types.ts";
import { answerLate } from "../answer-late.ts";
import { readBody, readQuery } from "../body.ts";
import type { Routes } from "../environment.ts";
import type { WireOptions } from "./options.ts";
import { promptInput, WirePrompt } from "./prompt.ts";
import { readWireSession, requireRoot } from "./reading.ts";

const Page = z.looseObject({ limit: z.coerce.number({ error: "limit must be a whole number" }).int().positive().optional(), before: z.string().optional() });

export function wireMessageRoutes(routes: Routes, { daemon }: WireOptions): void {
  /** Oldest first: all, or the newest `limit` before the cursor. What is before them is behind `x-next-cursor`. */
  routes.get("/session/:id/message", async (context) => {
    const { limit, before } = readQuery(context, Page);
    const messages = wireMessages((await readWireSession(daemon, context.req.param("id"))).state);
    const end = before === undefined ? messages.length : placeOf(messages, before);
    const start = limit === undefined ? 0 : Math.max(0, end - limit);
    if (start > 0) {
      const cursor = Buffer.from(messages[start]!.info.id).toString("base64url");
      const next = new URL(context.req.url);
      next.searchParams.set("before", cursor);
      context.header("x-next-cursor", cursor);
      context.header("link", `<${next.pathname}${next.search}>; rel="next"`);
    }
    return context.json(messages.slice(start, end));
  });

  routes.get("/session/:id/message/:message", async (context) => {
    const { id, message } = context.req.param();
    const found = wireMessages((await readWireSession(daemon, id)).state).find(({ info }) => info.id === message);
    if (found === undefined) throw new BeeuniError("not_found", `there is no message ${message} in the session ${id}`);
    return context.json(found);
  });

  /** Answers the turn's last message when the turn is over; a failure of the model stands in it. */
  routes.post("/session/:id/message", async (context) => {
    const id = context.req.param("id");
    const { turn, done } = await prompt(id, await readBody(context, WirePrompt));
    return await answerLate(context, done.then(async () => wireAnswer((await readWireSession(daemon, id)).state, turn)));
  });

  /** 204 when the prompt is durable; a repeated one says so. */
  routes.post("/session/:id/prompt_async", async (context) => {
    const { deduplicated, done } = await prompt(context.req.param("id"), await readBody(context, WirePrompt));
    // Whoever wants to know how it ends follows the events.
    done.catch(() => {});
    return deduplicated ? context.json({ deduplicated }) : context.body(null, 204);
  });

  async function prompt(id: string, body: WirePrompt): Promise<AcceptedPrompt> {
    const reading = await readWireSession(daemon, id);
    const input = promptInput(body);
    requireRoot(reading, "a prompt");
    return await (await daemon.openSession(id)).prompt(input);
  }
}

/** The place of the message that a cursor stands for, or that is named itself. */
function placeOf(messages: readonly WireMessage[], before: string): number {
  const id = isId(before, "msg") ? before : Buffer.from(before, "base64url").toString();
  const at = messages.findIndex(({ info }) => info.id === id);
  if (at === -1) throw new BeeuniError("invalid_request", "before: the cursor stands for no message of this session");
  return at;
}
