import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findNpm } from "./find-npm.ts";

/** A folder with a Node that is not there and whatever npm the test puts into it. */
async function emptyMachine(): Promise<{ folder: string; node: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "beeuni-npm-"));
  await mkdir(join(folder, "bin"));
  return { folder, node: process.execPath, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
const noNode = "/nonexistent/bin/node";

test("without npm there is none", async () => {
  assert.equal(await findNpm({ PATH: "/nonexistent" }, noNode), null);
});

test("npm's script in PATH is run by this Node, with the packages that stand beside it", async () => {
  await using machine = await emptyMachine();
  const script = join(machine.folder, "share/nodejs/npm/bin/npm-cli.js");
  await mkdir(join(machine.folder, "share/nodejs/npm/bin"), { recursive: true });
  await mkdir(join(machine.folder, "share/nodejs/beside"));
  await writeFile(join(machine.folder, "share/nodejs/beside/index.js"), "module.exports = '9.2.0';");
  await writeFile(script, "console.log(require('beside'));");
  await symlink(script, join(machine.folder, "bin/npm"));
  const env = { PATH: join(machine.folder, "bin") };
  assert.deepEqual(await findNpm(env, process.execPath), { program: process.execPath, args: [script], env: { NODE_PATH: join(machine.folder, "share/nodejs") }, version: "9.2.0" });
});

test("an npm that is no script of Node's is run as it is", async () => {
  await using machine = await emptyMachine();
  const shim = join(machine.folder, "bin/npm");
  await writeFile(shim, "#!/bin/sh\necho 10.1.0\n", { mode: 0o755 });
  assert.deepEqual(await findNpm({ PATH: join(machine.folder, "bin") }, noNode), { program: shim, args: [], env: {}, version: "10.1.0" });
});
