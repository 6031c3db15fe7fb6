import assert from "node:assert/strict";
import { test } from "node:test";
import { SUPPORT_KEYS, type SupportTable } from "@beeuni/protocol";
import { captureSink } from "../testing/capture.ts";
import type { HarnessDetails } from "../compose/harnesses.ts";
import { harnessPage } from "./harness.ts";

const details: HarnessDetails = {
  id: "tiny", label: "Tiny", family: "harness", platform: null, version: "1.0.0", toolchain: "none", directory: null, tested: ["1.0.0"], packages: {},
  tools: ["bash", "read"], permissions: { order: "last-wins", unaskable: ["task"], keys: {}, subject: {} },
  capabilities: [], support: Object.fromEntries(SUPPORT_KEYS.map((key) => [key, { level: "exact" }])) as SupportTable,
};

test("harness show names the tools, and how permission rules are read", () => {
  const lines = harnessPage(details, captureSink({ columns: 60 }).sink).split("\n");
  assert.deepEqual(lines.slice(0, 11), [
    "harness  tiny (Tiny)",
    "version  1.0.0 (tested: 1.0.0)",
    "family   harness",
    "place    none of the platform's two",
    "state    built in",
    "rules    of several patterns that match, the last in the file wins",
    "no ask   task: `ask` denies",
    "",
    "tools",
    "  bash, read",
    "",
  ]);
});
