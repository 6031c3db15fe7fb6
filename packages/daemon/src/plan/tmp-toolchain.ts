import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Harness, ToolchainStatus } from "@beeuni/harness";
export async function toolchainStatus(home: string, harness: Harness): Promise<ToolchainStatus> {
  const { version, packages, probe } = harness.toolchain;
  const directory = join(home, "harnesses", `${harness.id}@${version}`);
  const state = Object.keys(packages).length === 0 ? "none" : existsSync(join(directory, probe)) ? "installed" : "missing";
  return { harness: harness.id, version, state, directory };
}
