import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnEnd } from "@beeuni/harness";
import { BeeuniError, type TurnInfo } from "@beeuni/protocol";
import type { TraceWriter } from "@beeuni/trace";
import { EventHub } from "../stream/event-hub.ts";
import { MemoryLog } from "../testing/memory-log.ts";
import { answered, answering, created, MODEL, prompted, SESSION, started } from "../testing/transcripts.ts";
import { newActiveTurn } from "./active-turn.ts";
import { endTurn } from "./end-turn.ts";
import { Journal } from "./journal.ts";
import { Translator } from "./translate-events.ts";

/** Ends the turn `trn_1` of a log that holds one answer, and tells what the log says of it then. */
async function ending(end: TurnEnd, options: { isStopped?: boolean; trace?: Partial<TraceWriter> } = {}): Promise<{ turn: TurnInfo; order: string[] }> {
  const log = new MemoryLog();
  const order: string[] = [];
  log.append(created, ...prompted("trn_1", "go"), started("trn_1"), answering("trn_1", "msg_a"), answered("msg_a", { input: 3, output: 1 }));
  log.sync();
  log.subscribe((events) => order.push(...events.map(({ type }) => type)));
  const journal = new Journal(log, SESSION, assert.fail);
  const turn = newActiveTurn({ id: "trn_1", session: SESSION, origin: "user", prompt: "msg_trn_1", agent: "build", model: MODEL });
  if (options.isStopped === true) turn.stop.abort();
  const trace = { nextNumber: 4, flush: async () => void order.push("trace"), ...options.trace } as TraceWriter;
  const ended = endTurn({
    journal, trace, closeRequests: (id) => order.push(`requests ${id}`), beforeEnd: async () => void order.push("binding"),
    translator: new Translator({ journal, hub: new EventHub(log), binding: () => assert.fail(), checkpoint: () => {}, warn: assert.fail }),
  }, turn, end);
  await new Promise((resolve) => setImmediate(resolve));
  log.sync();
  await ended;
  return { turn: log.state.sessions[SESSION]!.turns[0]!, order };
}

test("the trace is on the disk before the turn's end is in the log", async () => {
  const { turn, order } = await ending({ outcome: "completed" });
  assert.deepEqual(order, ["requests trn_1", "binding", "trace", "turn.ended"]);
  assert.deepEqual([turn.outcome, turn.error, turn.usage, turn.calls], ["completed", undefined, { input: 3, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, [0, 4]]);
});

test("a turn whose calls could not be recorded has failed", async () => {
  const flush = async (): Promise<never> => Promise.reject(new BeeuniError("storage_failed", "no space is left on the device"));
  const { turn } = await ending({ outcome: "completed" }, { trace: { flush } });
  assert.deepEqual([turn.outcome, turn.error], ["failed", { code: "storage_failed", message: "the wire trace could not be written: no space is left on the device" }]);
});

test("what broke off because it was stopped is aborted; what was done in time is completed", async () => {
  const failed: TurnEnd = { outcome: "failed", error: { code: "upstream", message: "reset" } };
  const outcome = async (end: TurnEnd, isStopped: boolean): Promise<unknown> => {
    const { turn } = await ending(end, { isStopped });
    return [turn.outcome, turn.error];
  };
  assert.deepEqual(await outcome(failed, true), ["aborted", undefined]);
  assert.deepEqual(await outcome(failed, false), ["failed", failed.error]);
  assert.deepEqual(await outcome({ outcome: "completed" }, true), ["completed", undefined]);
});
