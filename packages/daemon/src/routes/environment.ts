import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { LocalDaemon } from "../local-daemon.ts";

/** Node's own request and response are behind every request: streams are written to them. */
export interface RouteEnvironment {
  Bindings: HttpBindings;
}
export type Routes = Hono<RouteEnvironment>;

export interface RouteOptions {
  daemon: LocalDaemon;
  /** A client of the event stream that is this many bytes behind is dropped. */
  maxBehind: number;
  heartbeatMs?: number;
}
