import assert from "node:assert/strict";
import type { HistoryMessage } from "@beeuni/harness";
import { checkEvents } from "../check-events.ts";
import type { Cell } from "./cell.ts";

const WORDS = "the lighthouse keeper is called Marisol";

const HISTORY: HistoryMessage[] = [
  { role: "user", text: WORDS, toolCalls: [] },
  { role: "assistant", text: "I looked", toolCalls: [{ callId: "call_1", tool: "bash", input: { command: "cat log" }, output: "the lamp was lit at nine", isError: false }] },
  { role: "user", text: "and then?", toolCalls: [] },
  { role: "assistant", text: "nothing more", toolCalls: [] },
];

export const resume: Cell = {
  key: "resume",
  title: "a session that was closed goes on with all it knew",
  prove: async (kit, level) => {
    const first = await kit.open();
    await kit.completed(first, `${kit.prompts.remark(WORDS)}\n${kit.prompts.say("noted")}`);
    const nativeId = first.session.nativeId ?? assert.fail("after a turn the session has no native id to resume");
    assert.ok(first.host.of("session.bound").some((event) => event.nativeId === nativeId), "the native id was not reported");
    await kit.within("the session closes", first.session.close());
    // Nothing but its own session tells it; `approx` may need the transcript.
    const history: HistoryMessage[] = level === "exact" ? [] : [{ role: "user", text: WORDS, toolCalls: [] }, { role: "assistant", text: "noted", toolCalls: [] }];
    const second = await kit.open({ resume: { nativeId }, history });
    assert.match(await kit.memory(second), new RegExp(WORDS));
    // What was before is not reported as new.
    assert.equal(second.host.texts().includes("noted"), false);
  },
};

export const history: Cell = {
  key: "history",
  title: "a harness that lost its own session is told the transcript",
  prove: async (kit, level) => {
    for (const resumed of [null, { nativeId: "a-session-that-is-gone" }]) {
      const opened = await kit.open({ resume: resumed, history: HISTORY });
      const memory = await kit.memory(opened);
      assert.match(memory, new RegExp(WORDS));
      assert.match(memory, /nothing more/);
      if (level === "exact") assert.match(memory, /the lamp was lit at nine/);
      // What was told is no event of this session.
      assert.deepEqual(checkEvents(opened.host.events), []);
      assert.equal(opened.host.texts().includes("nothing more"), false);
      await kit.within("the session closes", opened.session.close());
    }
  },
};
