import assert from "node:assert/strict";
import { describeHarness, DIRECTIVES } from "@beeuni/conformance";
import { createFauxServer } from "@beeuni/gateway/faux";
import { createPi } from "./index.ts";
import { TOOLCHAIN_DIR } from "./testing/installed-toolchain.ts";

describeHarness("Pi", () => createPi({ retries: 1, retryDelayMs: 10 }), {
  prompts: DIRECTIVES, toolchainDir: TOOLCHAIN_DIR,
  model: async () => {
    const server = await createFauxServer();
    return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
  },
  report: ({ cells, capabilities }) => {
    const open = [...Object.entries(cells), ...Object.entries(capabilities)].filter(([, { proven }]) => !proven);
    assert.deepEqual(open.map(([id]) => id), []);
  },
});
