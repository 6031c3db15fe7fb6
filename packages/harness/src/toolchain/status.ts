import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { toolchainName, toolchainsFolder } from "./location.ts";
import type { ToolchainOwner, ToolchainRecord, ToolchainStatus } from "./types.ts";

export const RECORD_FILE = "toolchain.json";

/** What is installed of a harness's toolchain. Reads a few small files; no network, nothing is changed. */
export async function toolchainStatus(home: string, owner: ToolchainOwner, env: NodeJS.ProcessEnv = process.env): Promise<ToolchainStatus> {
  const directory = join(toolchainsFolder(home, env), toolchainName(owner));
  const common = { harness: owner.id, version: owner.toolchain.version, directory };
  if (owner.toolchain.unavailable !== undefined) return { ...common, state: "missing", reason: owner.toolchain.unavailable };
  if (Object.keys(owner.toolchain.packages).length === 0) return { ...common, state: "none" };
  if (!(await exists(directory))) return { ...common, state: "missing", reason: "it is not installed" };
  const fault = await faultIn(directory, owner);
  if (fault !== null) return { ...common, state: "broken", reason: fault };
  const record = await readRecord(directory);
  return { ...common, state: "installed", ...(record === null ? {} : { record }) };
}

/** Why the folder is not the toolchain that is pinned; null when it is. */
export async function faultIn(directory: string, { toolchain }: ToolchainOwner): Promise<string | null> {
  for (const [name, wanted] of Object.entries(toolchain.packages)) {
    const found = await installedVersion(directory, name);
    if (found === null) return `${name} is missing`;
    if (found !== wanted) return `${name} is ${found}, pinned is ${wanted}`;
  }
  return (await exists(join(directory, toolchain.probe))) ? null : `${toolchain.probe} is missing`;
}

async function installedVersion(directory: string, name: string): Promise<string | null> {
  const manifest = await readJson(join(directory, "node_modules", name, "package.json"));
  const version = (manifest as { version?: unknown } | null)?.version;
  return typeof version === "string" ? version : null;
}

async function readRecord(directory: string): Promise<ToolchainRecord | null> {
  return (await readJson(join(directory, RECORD_FILE))) as ToolchainRecord | null;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as unknown;
  } catch {
    return null;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
