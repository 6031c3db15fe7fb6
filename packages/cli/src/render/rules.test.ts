import assert from "node:assert/strict";
import { test } from "node:test";
import { captureSink } from "../testing/capture.ts";
import { rulesTable } from "./rules.ts";

const out = captureSink().sink;

test("every rule stands with its agent and who enforces it, and why where that is not plain", () => {
  const table = rulesTable({
    writer: [
      { permission: "bash", pattern: "git *", action: "allow", enforcer: "host" },
      { permission: "task", pattern: "*", action: "ask", enforcer: "host", reason: "this key can't ask on this harness: the call is denied" },
    ],
    reviewer: [{ permission: "edit", pattern: "*", action: "deny", enforcer: "harness" }],
  }, out);
  assert.equal(table, [
    "agent     rule  pattern  action  by",
    "writer    bash  git *    allow   host",
    "writer    task  *        ask     host (this key can't ask on this harness: the call is denied)",
    "reviewer  edit  *        deny    harness",
    "",
  ].join("\n"));
});

test("it fits 40 columns", () => {
  const narrow = captureSink({ columns: 40 }).sink;
  const table = rulesTable({ "release-writer": [{ permission: "external_directory", pattern: "/home/ada/notes/*", action: "allow", enforcer: "host", reason: "answered always" }] }, narrow);
  assert.deepEqual(table.split("\n").map((line) => line.length).filter((length) => length > 40), []);
});

test("without a rule there is nothing to show", () => {
  assert.equal(rulesTable({ writer: [] }, out), "");
});
