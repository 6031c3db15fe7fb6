import assert from "node:assert/strict";
import { test } from "node:test";
import { agentFilePath, safeRepoPath } from "./repo-path.ts";

test("safe repository paths", () => {
  assert.deepEqual(["a", "a/b c/d_e.f-g", " a/ ", "a/b/"].map(safeRepoPath), ["a", "a/b c/d_e.f-g", "a", "a/b"]);
  assert.deepEqual(["", "/a", "-a", "a//b", "./a", "a/..", "a/./b", "a\\b", "a\nb", "ä"].map(safeRepoPath), Array(10).fill(null));
});

test("agent files end in .md and have a name", () => {
  assert.deepEqual(["agents/a.md", "a.md"].map(agentFilePath), ["agents/a.md", "a.md"]);
  assert.deepEqual(["agents/.md", ".md", "agents/a.txt", "agents/a.md/x"].map(agentFilePath), Array(4).fill(null));
});
