import { randomBytes } from "node:crypto";
import { access, chmod, mkdir, realpath, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { BeeuniError, type AgentSet, type Json } from "@beeuni/protocol";
import type { HostPort, SessionSpec } from "@beeuni/harness";
import type { Bridge } from "./bridge.ts";
import { compile, FILES, nativeConfig, toText } from "./compile.ts";
import { nativeAgent } from "./names.ts";
import type { OpenCodeOptions } from "./options.ts";
import type { PluginSettings } from "./plugin.ts";
import { ServerProcess } from "./process.ts";
import { rulesFiles } from "./rules-files.ts";
import { findShell, shellFile, shellText } from "./shell.ts";
import { SEARCH_FOLDER, toolchain } from "./toolchain.ts";

/** Where the things of one session lie. */
export interface Layout {
  binary: string;
  /** Real path of the workspace. */
  workspace: string;
  state: string;
  /** Folder of the commands' process groups. */
  groups: string;
  shell: string;
}

/** Makes the session's folders. Throws when the toolchain or the workspace is not there. */
export async function layOut(spec: SessionSpec): Promise<Layout> {
  const binary = join(spec.toolchainDir, toolchain.probe);
  await access(binary).catch((cause: unknown) => {
    throw new BeeuniError("harness_not_installed", `OpenCode ${toolchain.version} is not installed (no ${binary})`, { hint: "run `beeuni harness install opencode`", cause });
  });
  const workspace = await realpath(spec.workspace).catch((cause: unknown) => {
    throw new BeeuniError("harness_start_failed", `the workspace ${spec.workspace} can't be opened: ${(cause as Error).message}`, { cause });
  });
  const state = spec.stateDir;
  const groups = join(state, "commands");
  for (const folder of [groups, ...HOMES.map((name) => join(state, name))]) await mkdir(folder, { recursive: true, mode: 0o700 });
  return { binary, workspace, state, groups, shell: findShell(spec.commandEnv["PATH"]) };
}

/** OpenCode's homes, all of the session's own: nothing of the user's is read or written. */
const HOMES = ["home", "config", "data", "cache", "local", "tmp"];

/** Writes everything that OpenCode reads. */
export async function writeFiles({ workspace, state, groups, shell }: Layout, spec: SessionSpec, agents: AgentSet, bridge: Pick<Bridge, "url" | "token">): Promise<void> {
  const copy = join(state, "rules", basename(agents.rulesFile?.path ?? "AGENTS.md"));
  const placed: { [key: string]: Json } = {
    ...nativeConfig(agents, spec.endpoint), instructions: await rulesFiles(workspace, agents.rulesFile, copy), shell: join(state, shellFile(shell)),
  };
  const settings: PluginSettings = {
    url: bridge.url, token: bridge.token, tools: agents.hostTools,
    sampling: Object.fromEntries(agents.agents.map(({ name, temperature, topP }) => [nativeAgent(name), { temperature, topP }])),
  };
  const files: { [path: string]: string } = {
    ...compile(agents, spec.endpoint, spec.surface).files,
    [FILES.config]: toText(placed),
    [FILES.settings]: JSON.stringify(settings),
    [shellFile(shell)]: shellText(shell, groups, spec.commandEnv),
  };
  for (const [path, text] of Object.entries(files)) await write(join(state, path), text);
  await chmod(join(state, shellFile(shell)), 0o700);
  if (agents.rulesFile !== null) await write(copy, agents.rulesFile.text);
}

/** Holds the endpoint's token and the bridge's: nobody else's to read. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
}

/** Starts OpenCode on the written files. Throws `harness_start_failed`. */
export async function startServer(layout: Layout, spec: SessionSpec, options: OpenCodeOptions, host: Pick<HostPort, "log">): Promise<{ server: ServerProcess; password: string }> {
  const { argv, env } = compile(spec.agents, spec.endpoint, spec.surface);
  const password = randomBytes(24).toString("hex");
  const server = await ServerProcess.start({
    binary: layout.binary, args: argv, env: { ...environment(layout, spec), ...env }, workspace: layout.workspace, groups: layout.groups, password,
    version: toolchain.version, deadlineMs: options.startDeadlineMs, tries: options.startTries, onTrouble: (message) => host.log("warning", message),
  });
  return { server, password };
}

/** What OpenCode itself runs with. Its commands get `commandEnv` alone, from the shell that it is given. */
export function environment({ state }: Layout, { commandEnv, toolchainDir }: SessionSpec): { [name: string]: string } {
  const path = commandEnv["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  return {
    PATH: [join(toolchainDir, SEARCH_FOLDER), path].join(delimiter),
    LANG: commandEnv["LANG"] ?? "C.UTF-8",
    HOME: join(state, "home"),
    XDG_CONFIG_HOME: join(state, "config"),
    XDG_DATA_HOME: join(state, "data"),
    XDG_CACHE_HOME: join(state, "cache"),
    XDG_STATE_HOME: join(state, "local"),
    TMPDIR: join(state, "tmp"),
    OPENCODE_CONFIG: join(state, FILES.config),
    OPENCODE_MODELS_PATH: join(state, FILES.models),
  };
}
