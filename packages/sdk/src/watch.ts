import { applyDelta, deltaFit, EMPTY_TREE, reduce, type SessionState, type TreeState } from "@beeuni/transcript";
import { type EventsOptions, type EventStream, openEvents, type StreamItem } from "./events.ts";
import type { Transport } from "./transport.ts";

/** One step of the fold that every client shows. */
export function foldItem(state: TreeState, item: StreamItem): TreeState {
  switch (item.kind) {
    case "event": return reduce(state, item.event);
    case "delta": return applyDelta(state, item.event);
    case "resync": return item.state;
    default: return state;
  }
}

/**
 * The session's state, anew after every event, for ever (until `signal` aborts). The first one comes once something is
 * known of the session; states in between may be skipped by a slow consumer, never the last one.
 */
export async function* watchSession(transport: Transport, options: EventsOptions): AsyncGenerator<SessionState> {
  const stream: EventStream = openEvents(transport, options);
  let tree = EMPTY_TREE;
  for await (const item of stream) {
    // Text before it was lost with a connection: coming back brings the whole part.
    if (item.kind === "delta" && deltaFit(tree, item.event) === "gap") {
      stream.reconnect();
      continue;
    }
    const next = foldItem(tree, item);
    if (next === tree) continue;
    tree = next;
    const session = tree.sessions[options.session];
    if (session !== undefined) yield session;
  }
}
