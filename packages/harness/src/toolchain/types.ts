import type { Harness } from "../contract.ts";

/** What of a harness the installer reads. */
export type ToolchainOwner = Pick<Harness, "id" | "toolchain">;

/**
 * `none`: the harness needs nothing installed. `broken`: the folder is there, but a pinned version or the probe file is
 * not; an install replaces it.
 */
export type ToolchainState = "none" | "installed" | "missing" | "broken";

export interface ToolchainStatus {
  harness: string;
  version: string;
  state: ToolchainState;
  /** Absolute path, whether it exists or not. */
  directory: string;
  /** Why it is not `installed`. */
  reason?: string;
  /** What is in it, when installed. */
  record?: ToolchainRecord;
}

/** `toolchain.json` in the toolchain's folder. */
export interface ToolchainRecord {
  harness: string;
  version: string;
  /** npm package → installed version. */
  packages: { [name: string]: string };
  /** ISO time. */
  installedAt: string;
  node: string;
  npm: string;
  megabytes: number;
}

export interface InstallProgress {
  harness: string;
  version: string;
  /** waiting: another process installs the same · downloading: npm runs · verifying · done. */
  phase: "waiting" | "downloading" | "verifying" | "done";
  elapsedMs: number;
  /** On the disk so far. */
  megabytes: number;
  /** What it will be, about. */
  expectedMegabytes: number;
}

export interface InstallOptions {
  onProgress?: ((progress: InstallProgress) => void) | undefined;
  /** Stops npm, removes what it wrote and rejects with `aborted`. */
  signal?: AbortSignal | undefined;
  /** Only from npm's cache. */
  offline?: boolean | undefined;
  /** Environment of npm and for BEEUNI_TOOLCHAINS; default: this process's. */
  env?: NodeJS.ProcessEnv | undefined;
}
