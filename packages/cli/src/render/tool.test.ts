import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolPart } from "@beeuni/transcript";
import { captureSink } from "../testing/capture.ts";
import { toolOutcome } from "./tool.ts";

const { colours } = captureSink().sink;
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
function outcome(output: string, metadata: { [key: string]: number | null }): string[] {
  const part: ToolPart = {
    id: "prt_1", session: "ses_1", message: "msg_1", type: "tool", tool: "bash", callId: "call_1",
    state: { status: "completed", input: { command: "make" }, output, metadata, startedAt: 0, endedAt: 1 },
  };
  return toolOutcome(part, 80, colours);
}

test("of a long output the beginning is shown, and how much more there is", () => {
  assert.deepEqual(outcome(lines(30), { exit: 0 }), ["  line 1", "  line 2", "  line 3", "  line 4", "  … 26 more lines"]);
});

test("a command that failed shows how it ended, however long its output is", () => {
  assert.deepEqual(outcome(`${lines(30)}[exit code 3]`, { exit: 3 }), ["  line 1", "  line 2", "  line 3", "  … 27 more lines", "  [exit code 3]"]);
  assert.deepEqual(outcome(`${lines(30)}[ended by SIGKILL]`, { exit: null }).at(-1), "  [ended by SIGKILL]");
  assert.deepEqual(outcome(`${lines(2)}[exit code 3]`, { exit: 3 }), ["  line 1", "  line 2", "  [exit code 3]"]);
  assert.deepEqual(outcome(`${"x".repeat(5000)}\n[exit code 3]`, { exit: 3 }), [`  ${"x".repeat(77)}…`, "  [exit code 3]"]);
});
