import { join } from "node:path";
import { BUILT_IN_HARNESSES } from "@beeuni/adapters";
import { createFauxServer } from "@beeuni/gateway/faux";
import { checkResults, describeHarness, DIRECTIVES, toolchainFolder } from "./suite/index.ts";

const entry = BUILT_IN_HARNESSES.find(({ id }) => id === "pi");
if (entry === undefined) throw new Error("the list of built-in harnesses has no pi");
const pi = await entry.load();

describeHarness("pi", () => pi, {
  prompts: DIRECTIVES,
  model: async () => {
    const server = await createFauxServer();
    return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
  },
  toolchainDir: toolchainFolder(pi),
  report: (report) => checkResults(join(import.meta.dirname, "../results/pi.json"), report),
});
