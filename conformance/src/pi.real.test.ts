import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { SessionCapability, SupportKey } from "@beeuni/protocol";
import { BUILT_IN_HARNESSES } from "@beeuni/adapters";
import { createFauxServer } from "@beeuni/gateway/faux";
import { checkResults, describeHarness, DIRECTIVES, toolchainFolder } from "./suite/index.ts";
import type { ConformanceReport } from "./suite/index.ts";

const entry = BUILT_IN_HARNESSES.find(({ id }) => id === "pi");
if (entry === undefined) throw new Error("the list of built-in harnesses has no pi");
const pi = await entry.load();

let result: ConformanceReport | undefined;

describeHarness("pi", () => pi, {
  prompts: DIRECTIVES,
  model: async () => {
    const server = await createFauxServer();
    return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
  },
  toolchainDir: toolchainFolder(pi),
  report: async (report) => {
    result = report;
    await checkResults(join(import.meta.dirname, "../results/pi.json"), report);
  },
});

describe("what the suite has shown of pi", () => {
  const shown = (key: SupportKey): void => {
    assert.equal(result?.cells[key].proven, true);
    assert.notEqual(result?.cells[key].level, "none");
  };
  const missing = (id: SessionCapability): void => assert.deepEqual(result?.capabilities[id], { listed: false, proven: true });

  test("[H-034] the answer is streamed", () => shown("stream"));
  test("[H-035] a running turn can be stopped, and the model connection is dropped", () => shown("abort"));
  test("[H-041] temperature reaches the model request", () => shown("sampling"));
  test("[H-042] top_p reaches the model request", () => shown("sampling"));
  test("[H-043] the step limit holds", () => shown("steps"));
  test("there is no rewind, task list, fork or shell turn", () => {
    for (const id of ["session.rewind", "session.todo", "session.fork", "session.shell"] as const) missing(id);
  });
});
