import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedHarness } from "../scripted/index.ts";
import { beginReport, renderMatrix } from "./report.ts";

test("a report begins with the claims, and the matrix marks what was not proven", () => {
  const report = beginReport(createScriptedHarness({ capabilities: ["session.fork"] }), new Date("2026-01-02T23:00:00Z"));
  assert.deepEqual([report.harness, report.version, report.date], ["scripted", "1.0.0", "2026-01-02"]);
  assert.deepEqual(report.cells.wire, { level: "none", reason: "no model is asked: the prompt is the script", proven: false });
  assert.deepEqual(report.capabilities["session.fork"], { listed: true, proven: false });
  for (const cell of [...Object.values(report.cells), ...Object.values(report.capabilities)]) cell.proven = true;
  report.cells.abort.proven = false;
  assert.equal(renderMatrix([report]), [
    "|  | Scripted 1.0.0 |", "| --- | --- |",
    "| `stream` | exact |", "| `abort` | exact (not proven) |", "| `resume` | exact |", "| `ask` | exact |", "| `deny` | exact |", "| `hostTools` | exact |",
    "| `history` | exact |", "| `sampling` | none |", "| `steps` | exact |", "| `subagents` | none |", "| `wire` | none |",
    "| `session.rewind` | – |", "| `session.compact` | – |", "| `session.commands` | – |", "| `session.fork` | yes |", "| `session.subagents` | – |",
    "| `session.mcp` | – |", "| `session.todo` | – |", "| `session.shell` | – |", "| `session.attach` | – |", "| `session.config` | – |",
    "",
    "- Scripted, `sampling`: no model is asked: the prompt is the script.",
    "- Scripted, `subagents`: the capability is not listed.",
    "- Scripted, `wire`: no model is asked: the prompt is the script.",
  ].join("\n"));
});
