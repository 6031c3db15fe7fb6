import type { Toolchain } from "@beeuni/harness";

/** Folder, relative to the toolchain's, → file of each program. */
const SERVER = "opencode-linux-x64";
const SEARCH = "@vscode/ripgrep-linux-x64";

/** One package a platform: a single binary with its runtime inside. Nothing is run at install. */
const PLATFORMS: { [platform: string]: { [name: string]: string } } = {
  // OpenCode's `glob` and `grep` run ripgrep, and would fetch it from the network in the middle of a turn.
  "linux-x64": { [SERVER]: "1.18.34", [SEARCH]: "1.18.0" },
};

/** The pinned OpenCode for a machine like this one. */
export function toolchainFor(platform: string, arch: string): Toolchain {
  const packages = PLATFORMS[`${platform}-${arch}`];
  return {
    version: "1.18.34",
    tested: ["1.18.34"],
    packages: packages ?? {},
    ...(packages === undefined ? { unavailable: `OpenCode 1.18.34 is served for ${Object.keys(PLATFORMS).join(", ")}; this machine is ${platform}-${arch}` } : {}),
    probe: `node_modules/${SERVER}/bin/opencode`,
    megabytes: 192,
  };
}

export const toolchain: Toolchain = toolchainFor(process.platform, process.arch);

/** Folder of ripgrep's `rg`, relative to the toolchain's. */
export const SEARCH_FOLDER = `node_modules/${SEARCH}/bin`;
