import { createHash, timingSafeEqual } from "node:crypto";
import type { HonoRequest, MiddlewareHandler } from "hono";
import { BeeuniError } from "@beeuni/protocol";
import type { RouteEnvironment } from "./environment.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
/** Headers that a page may read besides the few that every page may. */
const EXPOSED = "etag, link, x-next-cursor, x-beeuni-call, x-beeuni-sha256";

/**
 * Refuses a request whose Host is not this server's, so that a name that somebody else resolves to the loopback address
 * does not reach it, and one that a page from elsewhere makes. A page of this machine may ask (it needs the token as everybody
 * does); the browser's own question before that needs none.
 */
export function checkOrigin(host: string): MiddlewareHandler<RouteEnvironment> {
  const names = new Set([...LOOPBACK, host.includes(":") && !host.startsWith("[") ? `[${host}]` : host]);
  return async (context, next) => {
    if (!names.has(hostname(context.req.header("host")))) {
      throw new BeeuniError("forbidden", "the Host header is not this server's", { hint: `use ${[...names].join(", ")}` });
    }
    const origin = context.req.header("origin");
    if (origin === undefined) return await next();
    if (!isLocalPage(origin)) throw new BeeuniError("forbidden", `requests of pages from ${origin} are not answered`);
    // On Node's own response: streams are written to it directly.
    const { outgoing } = context.env;
    outgoing.setHeader("access-control-allow-origin", origin);
    outgoing.setHeader("access-control-expose-headers", EXPOSED);
    outgoing.setHeader("vary", "Origin");
    if (context.req.method !== "OPTIONS") return await next();
    outgoing.setHeader("access-control-allow-methods", "GET, HEAD, PUT, PATCH, POST, DELETE");
    outgoing.setHeader("access-control-allow-headers", context.req.header("access-control-request-headers") ?? "*");
    outgoing.setHeader("access-control-max-age", "86400");
    return context.body(null, 204);
  };
}

/**
 * Wants `Authorization: Bearer <token>`, or the token where `elsewhere` finds it in a request. The comparison takes as long for
 * any wrong token.
 */
export function checkToken(token: string, elsewhere: (request: HonoRequest) => string | undefined): MiddlewareHandler {
  const wanted = digest(token);
  return async (context, next) => {
    const given = /^bearer +(.*)$/i.exec(context.req.header("authorization") ?? "")?.[1] ?? elsewhere(context.req);
    const problem = given === undefined ? "a token is needed" : timingSafeEqual(digest(given), wanted) ? null : "the token is wrong";
    if (problem === null) return await next();
    context.header("www-authenticate", 'Basic realm="Beeuni"');
    throw new BeeuniError("unauthorized", problem, { hint: "send `Authorization: Bearer <token>`; `beeuni serve` prints where the token is" });
  };
}

function isLocalPage(origin: string): boolean {
  const match = /^https?:\/\/(.+)$/.exec(origin);
  return match !== null && LOOPBACK.includes(hostname(match[1]));
}

function hostname(header: string | undefined): string {
  return (header ?? "").replace(/:\d+$/, "").toLowerCase();
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
