import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { HEARTBEAT_SECONDS, newId } from "@beeuni/protocol";
import type { Routes } from "../environment.ts";
import type { WireFeed } from "./feed.ts";
import type { WireOptions } from "./options.ts";

/**
 * The two event streams: `/event` sends events as they are, `/global/event` with the folder that they belong to. Server-sent
 * events without names or ids; nothing is replayed: a client that comes back reads the state and is told what waits for it.
 */
export function wireEventRoutes(routes: Routes, { daemon, context: { projectID }, feed, maxBehind, heartbeatMs }: WireOptions): void {
  const [directory, project] = [JSON.stringify(daemon.directory), JSON.stringify(projectID)];
  const shapes: { [path: string]: Pick<StreamShape, "connected" | "event"> } = {
    "/event": { connected: (event) => event, event: (event) => event },
    "/global/event": {
      connected: (event) => `{"payload":${event}}`,
      event: (event) => `{"directory":${directory},"project":${project},"payload":${event}}`,
    },
  };
  for (const [path, shape] of Object.entries(shapes)) {
    routes.get(path, (context) => {
      void serveWireStream(context.env.outgoing, feed, { ...shape, maxBehind, heartbeatMs: heartbeatMs ?? HEARTBEAT_SECONDS * 1000 });
      return RESPONSE_ALREADY_SENT;
    });
  }
}

interface StreamShape {
  /** The first frame. */
  connected: (event: string) => string;
  event: (event: string) => string;
  /** A client that is this many bytes behind is dropped: it comes back and reads the state. */
  maxBehind: number;
  heartbeatMs: number;
}

async function serveWireStream(response: ServerResponse, feed: WireFeed, { connected, event, maxBehind, heartbeatMs }: StreamShape): Promise<void> {
  const gone = new Promise<void>((resolve) => response.on("close", resolve).on("error", () => resolve()));
  const send = (text: string): void => {
    if (response.writableLength > maxBehind) response.destroy();
    else response.write(`data: ${text}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform", connection: "keep-alive", "x-accel-buffering": "no" });
  response.flushHeaders();
  const leave = await feed.join((text) => send(event(text)), (open) => {
    send(connected(plain("server.connected")));
    for (const request of open) send(event(request));
  });
  // One that does not read gets no more to read.
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) send(event(plain("server.heartbeat")));
  }, heartbeatMs);
  await gone;
  clearInterval(heartbeat);
  leave();
}

function plain(type: string): string {
  return JSON.stringify({ id: newId("evt"), type, properties: {} });
}
