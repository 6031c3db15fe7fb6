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
