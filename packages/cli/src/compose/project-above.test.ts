import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { projectAbove, projectAboveLine } from "./project-above.ts";

const project = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-above-")));
after(() => rmSync(project, { recursive: true }));
for (const folder of ["src/deep", "own", "vendored/.git", "vendored/src"]) mkdirSync(join(project, folder), { recursive: true });
for (const folder of [".", "own"]) writeFileSync(join(project, folder, "beeuni.yaml"), "beeuni_version: 2\n");

test("a sub-folder of a project is told about it; a project, and a repository of its own, are not", async () => {
  const found = await Promise.all(["src/deep", ".", "own", "vendored/src"].map((folder) => projectAbove(join(project, folder))));
  assert.deepEqual(found, [project, undefined, undefined, undefined]);
});

test("the line says what does not hold, and what to do", async () => {
  assert.equal(await projectAboveLine(join(project, "src")), `warning: ${project}/src has no beeuni.yaml: the agents and rules of ${project} don't hold here (they do with --dir ${project})`);
  assert.equal(await projectAboveLine(project), undefined);
});
