import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { BeeuniError } from "@beeuni/protocol";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Refuses a request whose Host is not this server's, so that a name that somebody else resolves to the loopback address
 * does not reach it, and one that a page of another origin makes.
 */
export function checkOrigin(host: string): MiddlewareHandler {
  const names = new Set([...LOOPBACK, host.includes(":") && !host.startsWith("[") ? `[${host}]` : host]);
  return async (context, next) => {
    if (!names.has(hostname(context.req.header("host")))) {
      throw new BeeuniError("forbidden", "the Host header is not this server's", { hint: `use ${[...names].join(", ")}` });
    }
    const origin = context.req.header("origin");
    if (origin !== undefined && origin !== `http://${context.req.header("host")}`) {
      throw new BeeuniError("forbidden", `requests of pages from ${origin} are not answered`);
    }
    await next();
  };
}

/** Wants `Authorization: Bearer <token>`. The comparison takes as long for any wrong token. */
export function checkToken(token: string): MiddlewareHandler {
  const wanted = digest(`Bearer ${token}`);
  return async (context, next) => {
    const given = context.req.header("authorization");
    if (given === undefined) throw unauthorized("a token is needed");
    if (!timingSafeEqual(digest(given.replace(/^bearer /i, "Bearer ")), wanted)) throw unauthorized("the token is wrong");
    await next();
  };
}

function unauthorized(message: string): BeeuniError {
  return new BeeuniError("unauthorized", message, { hint: "send `Authorization: Bearer <token>`; `beeuni serve` prints where the token is" });
}

function hostname(header: string | undefined): string {
  return (header ?? "").replace(/:\d+$/, "").toLowerCase();
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
