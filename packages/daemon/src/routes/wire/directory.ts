import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import type { Context, MiddlewareHandler } from "hono";
import { BeeuniError } from "@beeuni/protocol";
import type { RouteEnvironment } from "../environment.ts";

const HEADER = "x-opencode-directory";
const QUERIES = ["directory", "location[directory]"];

/**
 * Clients say in the query, or percent-encoded in a header, which folder they mean. This server has one: a request for it or
 * a folder in it is answered, one for another folder refused rather than answered about the wrong one.
 */
export function checkDirectory(directory: string): MiddlewareHandler<RouteEnvironment> {
  return async (context, next) => {
    for (const asked of askedDirectories(context)) {
      if (await isInside(asked, directory)) continue;
      throw new BeeuniError("invalid_request", `this server serves ${directory}, not ${asked}`, { hint: `run \`beeuni serve\` in ${asked}, or give the client the folder that is served here` });
    }
    await next();
  };
}

function askedDirectories(context: Context<RouteEnvironment>): string[] {
  const header = context.req.header(HEADER);
  const given = [...QUERIES.map((name) => context.req.query(name)), header === undefined ? undefined : decoded(header)];
  return given.filter((text): text is string => text !== undefined && text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function isInside(asked: string, directory: string): Promise<boolean> {
  if (!isAbsolute(asked)) return false;
  const path = await realpath(asked).catch(() => resolve(asked));
  const way = relative(directory, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
