import { EMPTY_TREE, historyOf, type NewEvent, type Part, reduceAll, type ToolState } from "@beeuni/transcript";
import { logEvents, sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { test } from "node:test";

const model = { provider: "faux", id: "demo" };
const base = { session: "ses_root", startedAt: 1, endedAt: 1 };

test("a history holds texts and calls; every call has an output, also one that failed, was interrupted or never ran", () => {
  const message = (id: string, role: "user" | "assistant"): NewEvent => ({ type: "message.created", session: "ses_root", message: { id, session: "ses_root", role, turn: "trn_1", at: 1, agent: "build", model } });
  const part = (part: Part): NewEvent => ({ type: "part.updated", session: "ses_root", part });
  const tool = (id: string, state: ToolState): NewEvent => part({ id, session: "ses_root", message: "msg_2", type: "tool", tool: "bash", callId: `call_${id}`, state });
  const input = { command: "ls" };
  const { messages } = reduceAll(EMPTY_TREE, logEvents([
    { type: "session.created", session: "ses_root", format: "beeuni.transcript.v1", info: sampleInfo() },
    message("msg_1", "user"),
    part({ ...base, id: "prt_1", message: "msg_1", type: "text", text: "Look at this" }),
    part({ id: "prt_2", session: "ses_root", message: "msg_1", type: "file", mime: "image/png", filename: "a.png", url: "file:///a.png" }),
    message("msg_2", "assistant"),
    part({ ...base, id: "prt_3", message: "msg_2", type: "reasoning", text: "hm" }),
    part({ ...base, id: "prt_4", message: "msg_2", type: "text", text: "I look." }),
    tool("1", { status: "completed", input, output: "a.txt\n", metadata: {}, startedAt: 1, endedAt: 2 }),
    tool("2", { status: "error", input, kind: "interrupted", error: "The process ended before this was finished.", endedAt: 2 }),
    tool("3", { status: "running", input, startedAt: 1 }),
    tool("4", { status: "pending", input: {} }),
    message("msg_3", "assistant"),
    message("msg_4", "assistant"),
    part({ ...base, id: "prt_5", message: "msg_4", type: "text", text: "Done" }),
  ])).sessions["ses_root"]!;
  assert.deepEqual(historyOf(messages), [
    { role: "user", text: "Look at this\n\n[file: a.png]", toolCalls: [] },
    {
      role: "assistant", text: "I look.", toolCalls: [
        { callId: "call_1", tool: "bash", input, output: "a.txt\n", isError: false },
        { callId: "call_2", tool: "bash", input, output: "The process ended before this was finished.", isError: true },
        { callId: "call_3", tool: "bash", input, output: "The call did not end.", isError: true },
        { callId: "call_4", tool: "bash", input: {}, output: "The call did not end.", isError: true },
      ],
    },
    { role: "assistant", text: "Done", toolCalls: [] },
  ]);
});
