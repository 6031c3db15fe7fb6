// The hosted side: the same harness and the same model server, with Beeuni's daemon, gateway, log and trace around it.
import { mkdirSync, realpathSync } from "node:fs";
import { BUILT_IN_HARNESSES, PLATFORM_HARNESSES } from "@beeuni/adapters";
import { createDaemon } from "@beeuni/daemon";
import { createGateway } from "@beeuni/gateway";
import { HarnessRegistry } from "@beeuni/harness";
import { serveTurns } from "./measure.ts";

const [baseUrl, workspace, home, prompt] = process.argv.slice(2) as [string, string, string, string];
mkdirSync(home, { recursive: true });

const gateway = await createGateway({
  providers: [{ id: "bench", label: "bench", baseUrl, protocols: ["chat-completions"], models: [{ id: "demo", name: "demo", contextWindow: 128_000, maxOutput: 8192, reasoning: false, images: false, variants: {} }], origin: "bench" }],
});
const daemon = createDaemon({
  home,
  directory: realpathSync(workspace),
  registry: new HarnessRegistry(PLATFORM_HARNESSES, BUILT_IN_HARNESSES),
  gateway,
  flags: async () => ({ llm_gateway: true, pi_harness: false }),
  headless: true,
  commandEnv: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
});
const session = await daemon.createSession({ model: "bench/demo" });

await serveTurns(
  async () => {
    const { done } = await session.prompt({ parts: [{ type: "text", text: prompt }] });
    const turn = await done;
    if (turn.outcome !== "completed") throw new Error(`the turn did not end as scripted: ${JSON.stringify(turn)}`);
  },
  async () => {
    await daemon.close();
    await gateway.close();
    process.exit(0);
  },
);
