import { BeeuniError } from "@beeuni/protocol";
import { deltaFit, type SessionState, type TreeState } from "@beeuni/transcript";
import type { EventStream } from "./event-stream.ts";
import { foldItem, foldItems, type StreamItem } from "./stream-item.ts";

/**
 * A session's state again and again, whenever it has changed: the state at `start`, then after each run of events that
 * came at once. A delta whose preceding text is missing makes the stream begin anew, which brings the part whole.
 */
export async function* watchStates(session: string, start: TreeState, stream: EventStream): AsyncGenerator<SessionState, void, undefined> {
  let tree = start;
  yield stateOf(tree, session);
  for await (const batch of stream.batches()) {
    const before = tree.sessions[session];
    const folded = foldWhole(tree, batch);
    tree = folded.tree;
    if (folded.isGap) stream.reconnect();
    if (tree.sessions[session] !== before) yield stateOf(tree, session);
  }
}

/** Folds up to the first delta that leaves a gap. */
function foldWhole(tree: TreeState, batch: readonly StreamItem[]): { tree: TreeState; isGap: boolean } {
  let folded = tree;
  let run: StreamItem[] = [];
  for (const item of batch) {
    if (item.kind !== "delta") {
      run.push(item);
      continue;
    }
    folded = foldItems(folded, run);
    run = [];
    if (deltaFit(folded, item.event) === "gap") return { tree: folded, isGap: true };
    folded = foldItem(folded, item);
  }
  return { tree: foldItems(folded, run), isGap: false };
}

function stateOf(tree: TreeState, session: string): SessionState {
  const state = tree.sessions[session];
  if (state === undefined) throw new BeeuniError("session_not_found", `the event stream does not tell of session ${session}`);
  return state;
}
