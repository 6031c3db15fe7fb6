import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { RouteEnvironment } from "./environment.ts";

/** Clients and proxies give up on an answer whose head does not come for some minutes. */
const PATIENCE_MS = 60_000;
const SIGN_OF_LIFE_MS = 15_000;

/**
 * Answers JSON that may take hours. After a minute the head goes out, and then a blank now and then, which JSON allows in
 * front of a value. Should it fail after that, the connection breaks off: asking again is safe, and tells why.
 */
export async function answerLate(context: Context<RouteEnvironment>, value: Promise<unknown>, patience = PATIENCE_MS, signOfLife = SIGN_OF_LIFE_MS): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patience);
  });
  try {
    const settled = await Promise.race([value.then((answer) => ({ answer })), late]);
    if (settled !== null) return context.json(settled.answer as object);
  } finally {
    clearTimeout(timer);
  }
  void stream(context.env.outgoing, value, signOfLife);
  return RESPONSE_ALREADY_SENT;
}

async function stream(response: ServerResponse, value: Promise<unknown>, signOfLife: number): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  response.write(" ");
  const alive = setInterval(() => response.write(" "), signOfLife);
  response.on("close", () => clearInterval(alive)).on("error", () => {});
  try {
    response.end(JSON.stringify(await value));
  } catch (thrown) {
    response.destroy(thrown as Error);
  } finally {
    clearInterval(alive);
  }
}
