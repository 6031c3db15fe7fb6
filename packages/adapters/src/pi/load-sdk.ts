import { access } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BeeuniError } from "@beeuni/protocol";
import type { PiSdk } from "./sdk.ts";
import { toolchain } from "./toolchain.ts";

const loaded = new Map<string, Promise<PiSdk>>();

/**
 * Imports the SDK from a toolchain's folder, once per folder. Throws `harness_not_installed` when it is not there and
 * `harness_start_failed` when it can't be imported or has another version.
 */
export function loadSdk(toolchainDir: string): Promise<PiSdk> {
  const known = loaded.get(toolchainDir);
  if (known !== undefined) return known;
  const loading = importSdk(toolchainDir);
  loaded.set(toolchainDir, loading);
  loading.catch(() => loaded.delete(toolchainDir));
  return loading;
}

async function importSdk(toolchainDir: string): Promise<PiSdk> {
  const file = join(toolchainDir, toolchain.probe);
  await access(file).catch((cause: unknown) => {
    throw new BeeuniError("harness_not_installed", `Pi ${toolchain.version} is not installed (no ${file})`, { hint: "run `beeuni harness install pi`", cause });
  });
  // Read by the SDK when it is used: no look at the network besides the model calls.
  Object.assign(process.env, { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" });
  const sdk = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw new BeeuniError("harness_start_failed", `Pi can't be imported from ${file}: ${(cause as Error).message}`, { hint: "run `beeuni harness install pi` to install it anew", cause });
  }) as PiSdk;
  if (sdk.VERSION !== toolchain.version) {
    throw new BeeuniError("harness_start_failed", `${toolchainDir} holds Pi ${sdk.VERSION}, not ${toolchain.version}`, { hint: "run `beeuni harness install pi` to install the pinned version" });
  }
  return sdk;
}
