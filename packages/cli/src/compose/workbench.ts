import { createDaemon, type DaemonOptions, type LocalDaemon } from "@beeuni/daemon";
import { createGateway, type Gateway } from "@beeuni/gateway";
import { type Harness, installToolchain } from "@beeuni/harness";
import { loadProject } from "@beeuni/project";
import { formatModelRef } from "@beeuni/protocol";
import { InstallProgressLine } from "../render/install-progress.ts";
import type { Io } from "../io.ts";
import { commandEnvironment } from "./command-env.ts";
import { readFlags } from "./flags.ts";
import { projectFiles } from "./home.ts";
import { findModels, type Models, problemLines } from "./models.ts";
import { builtInRegistry } from "./registry.ts";
import { beeuniVersion } from "./version.ts";

export interface WorkbenchOptions {
  io: Io;
  home: string;
  /** The project's folder, absolute, links resolved. */
  directory: string;
  /** `--harness`; BEEUNI_HARNESS stands in for it. */
  harness: string | undefined;
  /** `provider/model` that will be used, when the command line or the session names one. */
  named: string | undefined;
  /** `provider/model` for sessions whose agent names none, in place of the one that was found. */
  defaultModel?: string | undefined;
  /** Nobody can be asked. */
  headless: boolean;
  allow?: DaemonOptions["allow"];
  /** A line for the person at the terminal. */
  note: (line: string) => void;
  /** Stops an installation that is under way. */
  stop: AbortSignal;
}

/** One project's daemon and gateway in this process. */
export interface Workbench {
  daemon: LocalDaemon;
  models: Models;
  close(): Promise<void>;
}

export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const { io, home, directory, note } = options;
  const registry = builtInRegistry();
  const { agentSet } = await loadProject(directory, { runtimes: registry.runtimeIds() });
  const mentioned = agentSet.agents.flatMap(({ model }) => (model === null ? [] : [formatModelRef(model)]));
  const models = await findModels({ home, env: io.env, named: options.named, mentioned });
  for (const line of problemLines(models.problems)) note(line);
  const log = (level: "info" | "warning" | "error", message: string): void => {
    if (level !== "info" || io.env["BEEUNI_DEBUG"]) note(`${level}: ${message}`);
  };
  // What goes wrong with a call is told by its turn: a run says it once, a server's log keeps each attempt.
  const quiet = options.headless && !io.env["BEEUNI_DEBUG"];
  const gateway: Gateway = await createGateway({ providers: models.providers, ...(quiet ? {} : { log }) });
  const harness = options.harness ?? (io.env["BEEUNI_HARNESS"] || undefined);
  const defaultModel = options.defaultModel ?? models.standard?.model;
  const daemon = createDaemon({
    home,
    directory,
    registry,
    gateway,
    flags: () => readFlags(projectFiles(home, directory).flags),
    headless: options.headless,
    commandEnv: commandEnvironment(io.env),
    version: beeuniVersion(),
    onInstall: (missing) => install(missing, options),
    log,
    ...(harness === undefined ? {} : { explicitHarness: harness }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(options.allow === undefined ? {} : { allow: options.allow }),
  });
  return {
    daemon,
    models,
    close: async () => {
      // The gateway must outlive the turns that the daemon stops.
      await daemon.close().finally(() => gateway.close());
    },
  };
}

async function install(harness: Harness, { io, home, stop }: WorkbenchOptions): Promise<void> {
  using line = new InstallProgressLine(io.stderr);
  await installToolchain(home, harness, { onProgress: (progress) => line.show(progress), signal: stop, env: io.env as NodeJS.ProcessEnv });
}
