import assert from "node:assert/strict";
import { SESSION_CAPABILITY_IDS } from "@beeuni/protocol";
import { createFauxServer } from "@beeuni/gateway/faux";
import { createScriptedHarness } from "./scripted/index.ts";
import { describeHarness, SCRIPT } from "./suite/index.ts";
import type { ConformanceReport, ModelServer } from "./suite/index.ts";

async function faux(): Promise<ModelServer> {
  const server = await createFauxServer();
  return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
}

function allProven(report: ConformanceReport): void {
  const open = [...Object.entries(report.cells), ...Object.entries(report.capabilities)].filter(([, { proven }]) => !proven);
  assert.deepEqual(open.map(([id]) => id), []);
}

describeHarness("scripted, without a model", () => createScriptedHarness(), { prompts: SCRIPT, report: allProven });

describeHarness("scripted, with a model and every session function", () => createScriptedHarness({ model: true, capabilities: SESSION_CAPABILITY_IDS }), {
  prompts: { ...SCRIPT, sayOpen: (text) => `say ${text}` }, model: faux, report: allProven,
});
