import type { HonoRequest } from "hono";

const USER = "opencode";

/**
 * The password that clients of the session wire send where others send a bearer token: Basic authorization, or
 * `?auth_token=` with the same text for streams that can't have headers. Undefined when there is none.
 */
export function wirePassword(request: HonoRequest): string | undefined {
  const basic = /^basic +(\S+)$/i.exec(request.header("authorization") ?? "")?.[1] ?? request.query("auth_token");
  if (basic === undefined) return undefined;
  const [user, ...password] = Buffer.from(basic, "base64").toString().split(":");
  return user === USER ? password.join(":") : undefined;
}
