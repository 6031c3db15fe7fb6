import { createHash } from "node:crypto";
import type { WireContext } from "@beeuni/transcript";
import type { LocalDaemon } from "../../local-daemon.ts";
import type { RouteOptions } from "../environment.ts";
import { WireFeed } from "./feed.ts";

/** What the routes of the session wire share. */
export interface WireOptions extends RouteOptions {
  context: WireContext;
  feed: WireFeed;
}

export function wireOptions(options: RouteOptions): WireOptions {
  const context = wireContext(options.daemon);
  return { ...options, context, feed: new WireFeed(options.daemon, context) };
}

/** The project's id is that of its folder in the home: 12 hex digits of its path's sha256. */
function wireContext({ directory, facts }: LocalDaemon): WireContext {
  return { projectID: createHash("sha256").update(directory).digest("hex").slice(0, 12), version: facts.version };
}
