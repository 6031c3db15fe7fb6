import assert from "node:assert/strict";
import { test } from "node:test";
import { firstMissing, readTranscripts } from "./transcripts.ts";

test("commands and what they print are read from console blocks only", () => {
  const page = ["# x", "```console", "$ one", "a…", "", "$ two", "```", "```sh", "$ three", "```", "```console norun", "$ four", "```"].join("\n");
  assert.deepEqual(readTranscripts(page), [
    { line: 3, command: "one", expected: ["a…"] },
    { line: 6, command: "two", expected: [] },
  ]);
});

test("expected lines match in order, with gaps only where the page says so", () => {
  assert.equal(firstMissing(["a", "…", "ses_… ok"], "a\nb\nc\nses_12 ok\n"), undefined);
  assert.equal(firstMissing(["a", "c"], "a\nb\nc\n"), "c");
  assert.equal(firstMissing(["a"], "a\nb\n"), "(nothing more, but it printed: b)");
  assert.equal(firstMissing(["a", "…"], "a\nb\n"), undefined);
  assert.equal(firstMissing(["cost (1)"], "cost 1\n"), "cost (1)");
});

test("ids, numbers, times, paths and widths may differ; words may not", () => {
  const shown = ["0  ses_22df0591a000vg4enmACsaF5JC  /home/me/x.y  1,234  17ms"];
  assert.equal(firstMissing(shown, "12 ses_22de27905000j5uxeN5AGdhdoZ /work/z 9 1.2s\n"), undefined);
  assert.equal(firstMissing(shown, "12 msg_22de27905000j5uxeN5AGdhdoZ /work/z 9 1.2s\n"), shown[0]);
  assert.equal(firstMissing(["exit code 1 failed"], "exit code 1 passed\n"), "exit code 1 failed");
});
