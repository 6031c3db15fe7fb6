import { BUILT_IN_HARNESSES, PLATFORM_HARNESSES } from "@beeuni/adapters";
import { createDaemon, type DaemonOptions, serveDaemon } from "@beeuni/daemon";
import { createGateway, type Gateway, loadProviders } from "@beeuni/gateway";
import { type Harness, HarnessRegistry } from "@beeuni/harness";
import { type BeeuniClient, createClient } from "@beeuni/sdk";
import type { Place } from "./place.ts";

export interface InProcessOptions extends Partial<Pick<DaemonOptions, "abortGrace" | "closeGrace">> {
  /** Takes something away from the harness: for controls. */
  harness?: (real: Harness) => Harness;
  /** Puts something between the harness and the gateway. */
  gateway?: (real: Gateway) => Gateway | Promise<Gateway>;
}

export interface InProcess extends AsyncDisposable {
  client: BeeuniClient;
  gateway: Gateway;
}

/** The product without its command line: the daemon, its API, the gateway and the real harness, in this process. */
export async function openInProcess(place: Place, { harness = (real) => real, gateway: between = (real) => real, ...rest }: InProcessOptions = {}): Promise<InProcess> {
  // The toolchains are looked for in the process's environment.
  process.env["BEEUNI_TOOLCHAINS"] = place.environment()["BEEUNI_TOOLCHAINS"];
  const gateway = await createGateway({ providers: loadProviders({ home: place.home, env: {} }).providers });
  const daemon = createDaemon({
    home: place.home, directory: place.project, gateway: await between(gateway), headless: false, defaultModel: "up/demo", ...rest,
    registry: new HarnessRegistry(PLATFORM_HARNESSES, BUILT_IN_HARNESSES.map((entry) => ({ ...entry, load: async () => harness(await entry.load()) }))),
    flags: async () => ({ llm_gateway: true, pi_harness: false }),
    commandEnv: { PATH: process.env["PATH"] ?? "", HOME: place.root },
  });
  const token = "token-of-a-test";
  const server = await serveDaemon(daemon, { token });
  return {
    client: createClient({ url: server.url, token }), gateway,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await daemon.close();
      await gateway.close();
    },
  };
}
