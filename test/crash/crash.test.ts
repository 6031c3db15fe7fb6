import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { CHECKPOINTS } from "@beeuni/daemon";
import { crashAt } from "./crash-at.ts";
import { reachedStates } from "./reached-states.ts";
import { SCRIPTED } from "./script.ts";
import { STATES } from "./states.ts";

const reached = reachedStates(after);

describe("after a kill -9 nothing acknowledged is lost, nothing is done twice, and the session goes on", { concurrency: 2 }, () => {
  for (const state of STATES) {
    test(`killed at ${state.name}`, async () => {
      const { problems, left } = await crashAt(state, { harness: "scripted", script: SCRIPTED });
      reached.set(state.name, left);
      assert.deepEqual(problems, []);
      if (typeof state.leaves === "string") assert.equal(left, state.leaves);
      else assert.match(left, state.leaves);
    });
  }
});

test("every state was reached: all checkpoints of the log, and those of a write and of the trace", () => {
  assert.deepEqual([...reached.keys()].sort(), STATES.map(({ name }) => name).sort());
  assert.deepEqual(CHECKPOINTS.filter((name) => !STATES.some(({ on }) => on === name)), []);
});
