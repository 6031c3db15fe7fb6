import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isWithin, placeOf } from "./paths.ts";

test("a path argument is followed to where it really leads", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "beeuni-paths-")));
  const workspace = join(root, "w");
  await mkdir(join(workspace, "sub"), { recursive: true });
  await mkdir(join(root, "outside"));
  await writeFile(join(workspace, "f"), "");
  await symlink("../outside", join(workspace, "out"));
  await symlink("sub", join(workspace, "in"));
  await symlink("../outside/new", join(workspace, "dangling"));
  await symlink("loop", join(workspace, "loop"));
  try {
    const place = async (path: string): Promise<unknown[]> => {
      const { inside, shown, isElsewhere } = await placeOf(workspace, path, join(root, "home"));
      return [inside, shown, isElsewhere];
    };
    assert.deepEqual(await place("f"), [true, "f", false]);
    assert.deepEqual(await place("."), [true, ".", false]);
    assert.deepEqual(await place("new/deep/file"), [true, "new/deep/file", false]);
    assert.deepEqual(await place(join(workspace, "sub/../f")), [true, "f", false]);
    assert.deepEqual(await place("../outside/x"), [false, join(root, "outside/x"), false]);
    assert.deepEqual(await place("/etc"), [false, "/etc", false]);
    assert.deepEqual(await place("~/x"), [false, join(root, "home/x"), true]);
    assert.deepEqual(await place("in/new"), [true, "sub/new", true]);
    assert.deepEqual(await place("out/new"), [false, join(root, "outside/new"), true]);
    // A link to what is not there yet: writing it would create the target.
    assert.deepEqual(await place("dangling"), [false, join(root, "outside/new"), true]);
    await assert.rejects(placeOf(workspace, "loop"));
  } finally {
    await rm(root, { recursive: true });
  }
});

test("a folder's name is no prefix of another's", () => {
  assert.deepEqual([isWithin("/a/b", "/a/b"), isWithin("/a/b", "/a/b/c"), isWithin("/a/b", "/a/bc"), isWithin("/", "/a")], [true, true, false, true]);
});
