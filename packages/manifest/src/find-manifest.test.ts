import assert from "node:assert/strict";
import { test } from "node:test";
import { findManifest } from "./find-manifest.ts";

const find = (...files: string[]) => findManifest({ read: (path) => Promise.resolve(files.includes(path) ? `text of ${path}` : null) });

test("beeuni.yaml is the manifest; a folder without one is no project", async () => {
  assert.deepEqual(await find("beeuni.yaml", "beeuni.yml", "kortix.yaml"), { file: "beeuni.yaml", text: "text of beeuni.yaml" });
  assert.equal(await find("README.md"), null);
});

test("a file that was meant as the manifest gets a clear message", async () => {
  const message = async (file: string): Promise<string> => {
    const found = await find(file);
    return found !== null && "issue" in found ? `${found.issue.severity}: ${found.issue.message}` : "none";
  };
  assert.deepEqual(await Promise.all(["beeuni.yml", "beeuni.toml", "kortix.yaml"].map(message)), [
    "error: beeuni.yml is not read: rename it to beeuni.yaml.",
    "error: beeuni.toml is not read: TOML manifests (beeuni_version 1) are not read yet — write it as beeuni.yaml with `beeuni_version: 2`.",
    "error: kortix.yaml is not read: rename it to beeuni.yaml, and its key `kortix_version` to `beeuni_version`.",
  ]);
});
