import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { BUILT_IN_HARNESSES } from "@beeuni/adapters";
import { toolchainFolder } from "@beeuni/conformance";
import { crashAt } from "./crash-at.ts";
import { reachedStates } from "./reached-states.ts";
import { BY_MODEL } from "./script.ts";
import { stateOf } from "./states.ts";

/**
 * State → what is there of the prompt in the end. Here the model asks for the command and the question, in calls of their
 * own. This harness goes on at the stream's last event, before the response's end: right behind it the trace may lack that.
 */
const LEAVES: { [harness: string]: { [state: string]: string | RegExp } } = {
  pi: {
    "prompt-torn": "turn interrupted, ran 0x, calls none",
    "message-open": /^turn interrupted, ran 0x, calls (none|cut)$/,
    "mid-stream": "turn interrupted, ran 0x, calls cut",
    "segment-rolled": "turn interrupted, ran 0x, calls cut",
    "call-ended": /^turn interrupted, (bash interrupted, )?ran 0x, calls complete$/,
    "message-ended": /^turn interrupted, bash interrupted, ran 0x, calls (complete|cut)$/,
    "permission-asked": /^turn interrupted, bash interrupted, ran 0x, calls (complete|cut)$/,
    "tool-running": /^turn interrupted, bash interrupted, ran [01]x, calls complete$/,
    "command-running": "turn interrupted, bash interrupted, ran 1x, calls complete",
    "tool-ended": /^turn interrupted, bash completed, ran 1x, calls complete( cut)?$/,
    "question-asked": /^turn interrupted, bash completed, question interrupted, ran 1x, calls complete (complete|cut)$/,
    "aborting": /^turn interrupted, bash completed, question (interrupted|aborted), ran 1x, calls complete complete$/,
    "turn-ending": /^turn interrupted, bash completed, question completed, ran 1x, calls complete complete (complete|cut)$/,
    "turn-ended": "turn completed, bash completed, question completed, ran 1x, calls complete complete complete",
    "recovered": /^turn interrupted, bash interrupted, ran 0x, calls (complete|cut)$/,
  },
};

const reached = reachedStates(after);

for (const [id, states] of Object.entries(LEAVES)) {
  describe(`${id}: after a kill -9 nothing acknowledged is lost, nothing is done twice, and the session goes on`, { concurrency: 2 }, async () => {
    const harness = await BUILT_IN_HARNESSES.find((entry) => entry.id === id)!.load();
    for (const [name, leaves] of Object.entries(states)) {
      test(`killed at ${name}`, async () => {
        const { problems, left } = await crashAt(stateOf(name), { harness: id, script: BY_MODEL, toolchain: toolchainFolder(harness), isApart: true });
        reached.set(`${id} ${name}`, left);
        assert.deepEqual(problems, []);
        if (typeof leaves === "string") assert.equal(left, leaves);
        else assert.match(left, leaves);
      });
    }
  });
}
