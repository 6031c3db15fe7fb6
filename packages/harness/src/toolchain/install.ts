import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNpm } from "./find-npm.ts";
import { folderMegabytes } from "./folder-size.ts";
import { installError, notForThisMachine, npmFailed, npmMissing, wrongContent } from "./install-errors.ts";
import { holdInstallLock } from "./install-lock.ts";
import { toolchainName, toolchainsFolder } from "./location.ts";
import { isDead, ownIdentity } from "./process-identity.ts";
import { ProgressReporter } from "./progress.ts";
import { runNpmInstall } from "./run-npm.ts";
import { faultIn, RECORD_FILE, toolchainStatus } from "./status.ts";
import type { InstallOptions, ToolchainOwner, ToolchainRecord, ToolchainStatus } from "./types.ts";

/**
 * Installs a harness's pinned packages with npm, unless they are there already. Everything goes into a hidden folder
 * beside the toolchain's own, which appears with one rename: a crash at any moment leaves no half toolchain, and its
 * leftovers are removed by the next install. Two installs at once are one: the second waits for the first.
 *
 * Rejects with `install_failed` (no npm, no network, another version than the pinned one), `storage_failed` or `aborted`.
 */
export async function installToolchain(home: string, owner: ToolchainOwner, options: InstallOptions = {}): Promise<ToolchainStatus> {
  const env = options.env ?? process.env;
  const status = await toolchainStatus(home, owner, env);
  if (status.state === "none" || status.state === "installed") return status;
  if (owner.toolchain.unavailable !== undefined) throw notForThisMachine(owner, owner.toolchain.unavailable);
  const base = toolchainsFolder(home, env);
  const hidden = join(base, `.${toolchainName(owner)}`);
  using progress = new ProgressReporter(owner, options.onProgress);
  try {
    await mkdir(base, { recursive: true, mode: 0o700 });
    await using _lock = await holdInstallLock(`${hidden}.lock`, { onWait: () => progress.tell("waiting"), signal: options.signal });
    await removeLeftovers(base, toolchainName(owner));
    if ((await toolchainStatus(home, owner, env)).state !== "installed") await installInto(`${hidden}.${ownIdentity()}.`, status.directory, owner, options, progress);
  } catch (thrown) {
    throw installError(owner, thrown, base, options.signal);
  }
  progress.tell("done");
  return toolchainStatus(home, owner, env);
}

async function installInto(prefix: string, directory: string, owner: ToolchainOwner, options: InstallOptions, progress: ProgressReporter): Promise<void> {
  const env = options.env ?? process.env;
  const npm = await findNpm(env);
  if (npm === null) throw npmMissing(owner);
  const folder = prefix + randomBytes(4).toString("hex");
  await mkdir(folder, { mode: 0o700 });
  try {
    const manifest = { name: "beeuni-toolchain", private: true, dependencies: owner.toolchain.packages };
    await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    const watching = progress.watch(folder);
    const failure = await runNpmInstall(npm, folder, { env, offline: options.offline ?? false, signal: options.signal });
    watching[Symbol.dispose]();
    options.signal?.throwIfAborted();
    if (failure !== null) throw npmFailed(owner, failure, directory);
    const megabytes = await folderMegabytes(folder);
    progress.tell("verifying", megabytes);
    const fault = await faultIn(folder, owner);
    if (fault !== null) throw wrongContent(owner, fault);
    const record: ToolchainRecord = {
      harness: owner.id, version: owner.toolchain.version, packages: owner.toolchain.packages, installedAt: new Date().toISOString(),
      node: process.version, npm: npm.version, megabytes,
    };
    await writeFile(join(folder, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`);
    await putInPlace(folder, directory, owner);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A broken toolchain of the same name goes away; a good one that appeared meanwhile stays. */
async function putInPlace(folder: string, directory: string, owner: ToolchainOwner): Promise<void> {
  const aside = `${folder}.old`;
  try {
    await rename(folder, directory);
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOTDIR") throw thrown;
    if ((await faultIn(directory, owner)) === null) return;
    await rename(directory, aside);
    await rename(folder, directory);
    await rm(aside, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes what installs left behind whose process is gone. Each name holds its owner. */
async function removeLeftovers(base: string, name: string): Promise<void> {
  const prefix = `.${name}.`;
  for (const entry of await readdir(base)) {
    const owner = entry.startsWith(prefix) ? /^(?:lock\.)?(\d+-\d+-[A-Za-z0-9]+)\.[0-9a-f]{8}(?:\.\w+)?$/.exec(entry.slice(prefix.length))?.[1] : undefined;
    if (owner !== undefined && isDead(owner)) await rm(join(base, entry), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}
