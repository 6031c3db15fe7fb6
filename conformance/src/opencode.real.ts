import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { SessionCapability, SupportKey } from "@beeuni/protocol";
import { BUILT_IN_HARNESSES } from "@beeuni/adapters";
import { createFauxServer } from "@beeuni/gateway/faux";
import { checkResults, describeHarness, DIRECTIVES, toolchainFolder } from "./suite/index.ts";
import type { ConformanceReport, PromptDialect } from "./suite/index.ts";

const entry = BUILT_IN_HARNESSES.find(({ id }) => id === "opencode");
if (entry === undefined) throw new Error("the list of built-in harnesses has no opencode");
const opencode = await entry.load();
let result: ConformanceReport | undefined;

const prompts: PromptDialect = {
  ...DIRECTIVES,
  subagent: (command, text) => `[[tool task ${JSON.stringify({ description: "help", prompt: `[[shell: ${command}]] [[text: ${text}]]`, subagent_type: "helper" })}]] [[text: done]]`,
};

describeHarness("opencode", () => opencode, {
  prompts,
  model: async () => {
    const server = await createFauxServer();
    return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
  },
  toolchainDir: toolchainFolder(opencode),
  // A start takes some seconds of CPU.
  patience: 90_000,
  report: async (report) => {
    result = report;
    await checkResults(join(import.meta.dirname, "../results/opencode.json"), report);
  },
});

describe("what the suite has shown of opencode", () => {
  const shown = (key: SupportKey): void => {
    assert.equal(result?.cells[key].proven, true);
    assert.notEqual(result?.cells[key].level, "none");
  };
  const offered = (id: SessionCapability): void => assert.deepEqual(result?.capabilities[id], { listed: true, proven: true });

  test("[H-034] the answer is streamed", () => shown("stream"));
  test("[H-035] a running turn can be stopped, and the model connection is dropped", () => shown("abort"));
  test("[H-041] temperature reaches the model request", () => shown("sampling"));
  test("[H-042] top_p reaches the model request", () => shown("sampling"));
  test("[H-043] the step limit holds", () => shown("steps"));
  test("[H-133] [H-139] [H-144] [H-147] [H-149] there are rewind, task list, configuration document, fork and shell turn", () => {
    for (const id of ["session.rewind", "session.todo", "session.config", "session.fork", "session.shell"] as const) offered(id);
  });
});
