import { randomBytes } from "node:crypto";
import { BUILT_IN_HARNESSES, PLATFORM_HARNESSES } from "@beeuni/adapters";
import { createScriptedHarness } from "@beeuni/conformance";
import { createDaemon, type LocalDaemon, serveDaemon } from "@beeuni/daemon";
import { createGateway, fauxProvider } from "@beeuni/gateway";
import { HarnessRegistry } from "@beeuni/harness";
import { newId } from "@beeuni/protocol";
import { Doom } from "./doom.ts";
import { powerCutDisk } from "./power-cut-disk.ts";
import type { KillState } from "./states.ts";
import { watchedFiles, watchedGateway } from "./watched-trace.ts";

export interface Order {
  home: string;
  directory: string;
  /** `scripted`, or one of the built-in harnesses. */
  harness: string;
  /** Where to die; null: not. */
  state: KillState | null;
  /** What is broken on purpose, for the controls. */
  fault?: Fault | undefined;
  /** Environment of the agent's commands. */
  commandEnv: { [name: string]: string };
}

/** `acknowledges-early`: the log says that it is on the disk, and is not. `no-dedupe`: every request is a new prompt. */
export type Fault = "acknowledges-early" | "no-dedupe";

export interface Served {
  url: string;
  token: string;
  /** URL of the gateway. */
  gateway: string;
  close(): Promise<void>;
}

/** A daemon that serves a project over HTTP, with the real log, the real trace and the real gateway with the demo model. */
export async function serveProject({ home, directory, harness, state, fault, commandEnv }: Order): Promise<Served> {
  const doom = new Doom(state);
  const gateway = await createGateway({ providers: [fauxProvider()] });
  const daemon = createDaemon({
    home, directory, commandEnv, registry: registryFor(harness), gateway: watchedGateway(gateway, doom), defaultModel: "faux/demo", headless: false,
    flags: async () => ({ llm_gateway: true, pi_harness: false }),
    logFs: powerCutDisk({ doom, acknowledgesEarly: fault === "acknowledges-early" }),
    // Small segments: a turn crosses from one to the next.
    trace: { segmentBytes: 4096, fs: watchedFiles(doom) },
    onCheckpoint: (name) => doom.reach(name),
  });
  if (fault === "no-dedupe") forgetMessageIds(daemon);
  const token = randomBytes(32).toString("base64url");
  const server = await serveDaemon(daemon, { token });
  return {
    url: server.url, token, gateway: gateway.url,
    async close() {
      await server.close();
      await daemon.close();
      await gateway.close();
    },
  };
}

function registryFor(id: string): HarnessRegistry {
  if (id !== "scripted") return new HarnessRegistry({ ...PLATFORM_HARNESSES, standard: id }, BUILT_IN_HARNESSES);
  const harness = createScriptedHarness({ model: true });
  return new HarnessRegistry({ standard: id, experimental: id }, [{ id, label: harness.label, family: harness.family, load: async () => harness }]);
}

function forgetMessageIds(daemon: LocalDaemon): void {
  const open = daemon.openSession.bind(daemon);
  daemon.openSession = async (...wanted) => {
    const session = await open(...wanted);
    return new Proxy(session, {
      get: (target, name) => {
        if (name === "prompt") return (input: Parameters<typeof target.prompt>[0]) => target.prompt({ ...input, messageId: newId("msg") });
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  };
}
