import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { BeeuniError } from "@beeuni/protocol";
import { installToolchain } from "./install.ts";
import { packageRegistry, type FixturePackage } from "./package-registry.ts";
import { toolchainStatus } from "./status.ts";
import type { InstallProgress, ToolchainOwner } from "./types.ts";

const PACKAGES: FixturePackage[] = [{ name: "@maker/agent", version: "1.6.0", files: { "dist/index.js": "export const x = 1;\n".repeat(20_000) } }];
const owner: ToolchainOwner = {
  id: "some:harness",
  toolchain: { version: "1.6.0", tested: ["1.6.0"], packages: { "@maker/agent": "1.6.0" }, probe: "node_modules/@maker/agent/dist/index.js", megabytes: 1 },
};

async function machine(url: string): Promise<{ home: string; env: NodeJS.ProcessEnv; folders(): Promise<string[]> } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "beeuni-toolchain-"));
  const home = join(folder, "home");
  return {
    home,
    env: { PATH: process.env["PATH"], HOME: folder, npm_config_cache: join(folder, "cache"), npm_config_registry: url, npm_config_global: "true", npm_config_dry_run: "true" },
    folders: () => readdir(join(home, "harnesses")).catch(() => []),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

test("the pinned packages are installed once, without their scripts, and recorded; progress is told", async () => {
  await using source = await packageRegistry(PACKAGES);
  await using computer = await machine(source.url);
  const directory = join(computer.home, "harnesses", "some-harness@1.6.0");
  assert.deepEqual(await toolchainStatus(computer.home, owner, computer.env), { harness: "some:harness", version: "1.6.0", directory, state: "missing", reason: "it is not installed" });

  const progress: InstallProgress[] = [];
  const installed = await installToolchain(computer.home, owner, { env: computer.env, onProgress: (step) => progress.push(step) });
  const { record, ...status } = installed;
  assert.deepEqual(status, { harness: "some:harness", version: "1.6.0", directory, state: "installed" });
  const { installedAt, npm, ...rest } = record!;
  assert.deepEqual(rest, { harness: "some:harness", version: "1.6.0", packages: { "@maker/agent": "1.6.0" }, node: process.version, megabytes: rest.megabytes });
  assert.ok(Date.now() - Date.parse(installedAt) < 60_000 && /^\d+\.\d+\.\d+/.test(npm) && rest.megabytes >= 0);
  assert.deepEqual([...new Set(progress.map(({ phase }) => phase))], ["downloading", "verifying", "done"]);
  assert.deepEqual({ ...progress.at(-1), elapsedMs: 0 }, { harness: "some:harness", version: "1.6.0", phase: "done", elapsedMs: 0, megabytes: rest.megabytes, expectedMegabytes: 1 });
  await assert.rejects(stat(join(directory, "node_modules/@maker/agent/ran")), { code: "ENOENT" });
  assert.deepEqual(await computer.folders(), ["some-harness@1.6.0"]);

  const requests = source.served.length;
  assert.deepEqual(await installToolchain(computer.home, owner, { env: computer.env }), installed);
  assert.equal(source.served.length, requests);
});

test("two installs at once download once; the second waits", async () => {
  await using source = await packageRegistry(PACKAGES);
  await using computer = await machine(source.url);
  const phases: string[] = [];
  const states = await Promise.all([0, 1].map(() => installToolchain(computer.home, owner, { env: computer.env, onProgress: ({ phase }) => phases.push(phase) })));
  assert.deepEqual(states.map(({ state }) => state), ["installed", "installed"]);
  assert.equal(source.served.filter((path) => path.startsWith("/tarballs/")).length, 1);
  assert.ok(phases.includes("waiting"));
  assert.deepEqual(await computer.folders(), ["some-harness@1.6.0"]);
});

test("kill -9 in the middle leaves no half toolchain; the next install removes what is left, and works", async () => {
  await using source = await packageRegistry(PACKAGES);
  await using computer = await machine(source.url);
  const isDownloading = source.holdTarballs();
  const script = `import { installToolchain } from ${JSON.stringify(new URL("install.ts", import.meta.url).href)}; await installToolchain(${JSON.stringify(computer.home)}, ${JSON.stringify(owner)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { env: computer.env, stdio: "ignore" });
  await isDownloading;
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal((await toolchainStatus(computer.home, owner, computer.env)).state, "missing");
  assert.deepEqual((await computer.folders()).map((name) => name.replace(/\d+-\d+-\w+\.\w{8}$/, "…")).sort(), [".some-harness@1.6.0.lock", ".some-harness@1.6.0.…"].sort());

  source.release();
  assert.equal((await installToolchain(computer.home, owner, { env: computer.env })).state, "installed");
  assert.deepEqual(await computer.folders(), ["some-harness@1.6.0"]);
});

test("a stop ends npm, leaves nothing, and says how to go on", async () => {
  await using source = await packageRegistry(PACKAGES);
  await using computer = await machine(source.url);
  const isDownloading = source.holdTarballs();
  const stop = new AbortController();
  const installing = installToolchain(computer.home, owner, { env: computer.env, signal: stop.signal });
  void isDownloading.then(() => stop.abort());
  await assert.rejects(installing, { code: "aborted", message: "installing some:harness 1.6.0 was stopped", hint: "run `beeuni harness install some:harness`" });
  assert.deepEqual(await computer.folders(), []);
});

test("a broken toolchain says why and is replaced", async () => {
  await using source = await packageRegistry(PACKAGES);
  await using computer = await machine(source.url);
  const { directory } = await installToolchain(computer.home, owner, { env: computer.env });
  const fault = async (): Promise<string | undefined> => (await toolchainStatus(computer.home, owner, computer.env)).reason;
  await rm(join(directory, owner.toolchain.probe));
  assert.equal(await fault(), "node_modules/@maker/agent/dist/index.js is missing");
  assert.equal((await installToolchain(computer.home, owner, { env: computer.env })).state, "installed");
  await writeFile(join(directory, "node_modules/@maker/agent/package.json"), '{"version":"1.5.0"}');
  assert.equal(await fault(), "@maker/agent is 1.5.0, pinned is 1.6.0");
  assert.equal((await installToolchain(computer.home, owner, { env: computer.env })).state, "installed");
  assert.deepEqual(await computer.folders(), ["some-harness@1.6.0"]);
});

test("another version than the pinned one is refused, though npm reports success", async () => {
  await using source = await packageRegistry([{ ...PACKAGES[0]!, version: "1.5.9", listedVersion: "1.6.0" }]);
  await using computer = await machine(source.url);
  await assert.rejects(installToolchain(computer.home, owner, { env: computer.env }), {
    code: "install_failed", message: "installing some:harness 1.6.0 failed: npm reported success, but @maker/agent is 1.5.9, pinned is 1.6.0",
  });
  assert.deepEqual(await computer.folders(), []);
});

test("without a network the error tells the cause and what to do; offline asks only npm's cache", async () => {
  const source = await packageRegistry(PACKAGES);
  await source[Symbol.asyncDispose]();
  await using computer = await machine(source.url);
  for (const [offline, cause] of [[false, "ECONNREFUSED"], [true, "ENOTCACHED"]] as const) {
    await assert.rejects(installToolchain(computer.home, owner, { env: computer.env, offline }), (error: BeeuniError) => {
      assert.equal(error.code, "install_failed");
      assert.match(error.message, new RegExp(`^installing some:harness 1\\.6\\.0 failed: the package registry can't be reached \\(${cause}\\)\\n  npm ended with exit code 1\\n  npm error code ${cause}`));
      assert.match(error.hint ?? "", /^with a network, run `beeuni harness install some:harness`; behind a proxy set HTTPS_PROXY first; or copy .*some-harness@1\.6\.0 from a machine that has it$/);
      return true;
    });
  }
  assert.deepEqual(await computer.folders(), []);
});

test("a version that the registry does not have is an error with npm's words", async () => {
  await using source = await packageRegistry([{ ...PACKAGES[0]!, version: "2.0.0" }]);
  await using computer = await machine(source.url);
  await assert.rejects(installToolchain(computer.home, owner, { env: computer.env }), { code: "install_failed", message: /npm error code ETARGET/ });
});

test("a folder that can't be written is a storage error that names BEEUNI_TOOLCHAINS, which moves the toolchains", async () => {
  await using source = await packageRegistry(PACKAGES);
  await using computer = await machine(source.url);
  await writeFile(computer.home, "a file");
  await assert.rejects(installToolchain(computer.home, owner, { env: computer.env }), { code: "storage_failed", hint: `make ${join(computer.home, "harnesses")} writable, or set BEEUNI_TOOLCHAINS to a folder that is` });
  const elsewhere = join(String(computer.env["HOME"]), "elsewhere");
  const { directory } = await installToolchain(computer.home, owner, { env: { ...computer.env, BEEUNI_TOOLCHAINS: elsewhere } });
  assert.equal(directory, join(elsewhere, "some-harness@1.6.0"));
});

test("a harness without packages needs no install", async () => {
  const bare = { ...owner, toolchain: { ...owner.toolchain, packages: {} } };
  assert.equal((await installToolchain("/nonexistent", bare)).state, "none");
});
