import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { homeDirectory, prepareHome, projectDirectory, projectFiles } from "./home.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-home-")));
after(() => rmSync(folder, { recursive: true }));

test("the home folder is BEEUNI_HOME or ~/.beeuni", () => {
  assert.deepEqual([homeDirectory({ BEEUNI_HOME: "/x/y" }), homeDirectory({ HOME: "/home/ada" }), homeDirectory({ BEEUNI_HOME: "", HOME: "/home/ada" })], ["/x/y", "/home/ada/.beeuni", "/home/ada/.beeuni"]);
});

test("without HOME it is in the user's own home, never in the folder that one stands in", () => {
  for (const env of [{}, { HOME: "" }]) assert.equal(homeDirectory(env), join(userInfo().homedir, ".beeuni"));
});

test("a new home is its owner's alone; one that can't be made says why", async () => {
  await prepareHome(join(folder, "a/b"));
  assert.equal(statSync(join(folder, "a/b")).mode & 0o777, 0o700);
  writeFileSync(join(folder, "file"), "");
  await assert.rejects(prepareHome(join(folder, "file")), (error) => {
    assert.ok(error instanceof BeeuniError);
    assert.deepEqual(error.toBody(), {
      code: "storage_failed", error: `${folder}/file can't be written: it is not a folder`, hint: "make it writable, or name another folder with BEEUNI_HOME",
    });
    return true;
  });
});

test("a place that takes no folders is refused, not waited for", async () => {
  await assert.rejects(prepareHome("/proc/beeuni/home"), (error) => error instanceof BeeuniError && error.message === "/proc/beeuni/home can't be written: it does not exist");
});

test("a project's folder is resolved; what is no folder is refused", async () => {
  mkdirSync(join(folder, "project"));
  symlinkSync("project", join(folder, "link"));
  assert.equal(await projectDirectory("link", folder), join(folder, "project"));
  assert.equal(await projectDirectory(undefined, folder), folder);
  for (const [dir, why] of [["nowhere", "it does not exist"], ["file", "it is not a folder"]] as const) {
    await assert.rejects(projectDirectory(dir, folder), (error) => error instanceof BeeuniError && error.exitCode === 4 && error.message.endsWith(why));
  }
});

test("files of a project go by the digest of its folder", () => {
  assert.deepEqual(projectFiles("/h", "/home/ada/notes"), {
    folder: "/h/projects/bc892435ae0a", flags: "/h/projects/bc892435ae0a/flags.json", server: "/h/projects/bc892435ae0a/server.json", token: "/h/projects/bc892435ae0a/token",
  });
});
