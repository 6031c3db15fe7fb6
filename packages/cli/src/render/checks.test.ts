import assert from "node:assert/strict";
import { test } from "node:test";
import { ok, problem, warning } from "../doctor/check.ts";
import { nodeCheck } from "../doctor/machine.ts";
import { captureSink } from "../testing/capture.ts";
import { checksPage } from "./checks.ts";

test("each line has its mark, each trouble its fix below it", () => {
  const checks = [ok("node", "24.22.3"), warning("provider", "no key is configured", "export OPENAI_API_KEY=…"), problem("project", "beeuni.yaml:3:1 agents: must be a map", "correct beeuni.yaml in line 3")];
  assert.equal(
    checksPage(checks, captureSink({ columns: 48 }).sink),
    "✓ node      24.22.3\n" +
      "! provider  no key is configured\n" +
      "            fix: export OPENAI_API_KEY=…\n" +
      "✗ project   beeuni.yaml:3:1 agents: must be a\n" +
      "            map\n" +
      "            fix: correct beeuni.yaml in line 3\n" +
      "\n1 problem, 1 warning\n",
  );
  assert.match(checksPage([ok("node", "24")], captureSink().sink), /\n\nall is well\n$/);
});

test("an old Node is a problem", () => {
  assert.deepEqual(nodeCheck("20.1.0"), problem("node", "20.1.0; beeuni needs 24 or newer", "run the launcher `beeuni` of the checkout: it brings its own Node"));
  assert.deepEqual(nodeCheck("24.0.0"), ok("node", "24.0.0"));
});
