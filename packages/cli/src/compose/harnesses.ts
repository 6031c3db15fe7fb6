import { SESSION_CAPABILITIES, SESSION_CAPABILITY_IDS, type SessionCapability, type SupportTable } from "@beeuni/protocol";
import { type Harness, type HarnessRegistry, type PermissionDialect, toolchainStatus, type ToolchainState } from "@beeuni/harness";
import type { Environment } from "../io.ts";

/** One row of `harness ls`. A platform harness without an adapter is listed too, because rules may name it. */
export interface HarnessRow {
  id: string;
  label: string;
  family: string | null;
  /** The place that project selection gives it. */
  platform: "standard" | "experimental" | null;
  version: string | null;
  toolchain: ToolchainState | "no adapter";
  directory: string | null;
}

export interface HarnessDetails extends HarnessRow {
  tested: readonly string[];
  packages: { [name: string]: string };
  /** Its own tools that a session offers. */
  tools: readonly string[];
  /** How it reads permission rules. */
  permissions: PermissionDialect;
  capabilities: { id: SessionCapability; meaning: string; offered: boolean }[];
  support: SupportTable;
}

export async function harnessRows(registry: HarnessRegistry, home: string, env: Environment): Promise<HarnessRow[]> {
  return await Promise.all(
    registry.runtimeIds().map(async (id) => {
      if (registry.has(id)) return await rowOf(await registry.load(id), registry, home, env);
      return { id, label: id, family: null, platform: registry.placeOf(id), version: null, toolchain: "no adapter" as const, directory: null };
    }),
  );
}

/** Throws `harness_not_found` with near names. */
export async function harnessDetails(registry: HarnessRegistry, id: string, home: string, env: Environment): Promise<HarnessDetails> {
  const harness = await registry.load(id);
  return {
    ...(await rowOf(harness, registry, home, env)),
    tested: harness.toolchain.tested,
    packages: harness.toolchain.packages,
    tools: harness.builtinTools,
    permissions: harness.dialect,
    capabilities: SESSION_CAPABILITY_IDS.map((capability) => ({ id: capability, meaning: SESSION_CAPABILITIES[capability], offered: harness.capabilities.includes(capability) })),
    support: harness.support(),
  };
}

async function rowOf(harness: Harness, registry: HarnessRegistry, home: string, env: Environment): Promise<HarnessRow> {
  const { state, directory } = await toolchainStatus(home, harness, env as NodeJS.ProcessEnv);
  return {
    id: harness.id, label: harness.label, family: harness.family, platform: registry.placeOf(harness.id),
    version: harness.toolchain.version, toolchain: state, directory: state === "none" ? null : directory,
  };
}
