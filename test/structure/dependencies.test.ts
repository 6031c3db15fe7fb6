import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ROOT_REASONS, undeclared, unpinned, unreasoned, unused } from "./dependencies.ts";
import { packagesOf, readTree, REPOSITORY, withTree } from "./tree.ts";
import type { PackageManifest } from "./tree.ts";

describe("dependencies", async () => {
  const files = await readTree(REPOSITORY);
  const packages = packagesOf(files);
  const manifests = files
    .filter(({ path }) => /(?:^|\/)package\.json$/.test(path))
    .map(({ path, text }) => ({ path, manifest: JSON.parse(text) as PackageManifest }));
  const root = manifests.find(({ path }) => path === "package.json")?.manifest ?? assert.fail("no package.json at the root");

  test("every version is pinned exactly", () => assert.deepEqual(unpinned(manifests), []));
  test("every import is declared by its package", () => assert.deepEqual(undeclared(files, packages, root), []));
  test("every declared dependency is used", () => assert.deepEqual(unused(files, packages), []));
  test("every third-party dependency has its reason at an import", () => assert.deepEqual(unreasoned(files, packages), []));
  test("the root's dependencies are the ones with a reason", () => {
    assert.deepEqual(Object.keys({ ...root.dependencies, ...root.devDependencies, ...root.optionalDependencies }).sort(), Object.keys(ROOT_REASONS).sort());
  });

  test("control: planted violations are found", async () => {
    await withTree({
      "package.json": JSON.stringify({ name: "root", devDependencies: { "fast-check": "4.0.0" } }),
      "packages/a/package.json": JSON.stringify({
        name: "@beeuni/a", dependencies: { zod: "^4.0.0", hono: "4.0.0", lost: "1.0.0", "@x/y": "workspace:*" }, devDependencies: { dev: "1.0.0-beta.2", "@types/zod": "1.0.0", "@types/lost": "1.0.0" },
      }),
      "packages/a/src/a.ts": [
        'import { z } from "zod/mini";', "// Routes that a browser's", "// fetch understands.", "import {", "  Hono,", '} from "hono";',
        "/** A block comment that says something about the file, not about dev. */", 'import fs from "fs";', 'import "missing";', 'import "@x/y/z"; // its reason stands here at the end', 'import "fast-check";',
        "// A comment on another thing altogether, far away from zod.", "", 'import type { B } from "zod";',
      ].join("\n"),
      "scripts/s.mjs": 'import "fast-check";\nimport "@beeuni/a";\nimport "zod";\n',
      "packages/a/src/a.test.ts": 'import "fast-check";\nimport "@beeuni/a";\n/** What dev is needed for here */\nimport "dev"; // too short\n',
    }, (tree) => {
      const planted = packagesOf(tree);
      const planteds = planted.map(({ folder, manifest }) => ({ path: `${folder}/package.json`, manifest }));
      assert.deepEqual(unpinned(planteds), [
        'packages/a/package.json: zod is "^4.0.0"; pin one exact version', 'packages/a/package.json: @x/y is "workspace:*"; pin one exact version',
      ]);
      assert.deepEqual(undeclared(tree, planted, { name: "root", devDependencies: { "fast-check": "4.0.0" } }), [
        "packages/a/src/a.ts:8 imports fs; write node:fs",
        "packages/a/src/a.ts:9 imports missing, which packages/a/package.json doesn't declare",
        "packages/a/src/a.ts:11 imports fast-check, which packages/a/package.json doesn't declare",
        "scripts/s.mjs:3 imports zod, which package.json doesn't declare",
      ]);
      assert.deepEqual(unused(tree, planted), ["lost", "@types/lost"].map((name) => `packages/a/package.json declares ${name}, which nothing there imports`));
      assert.deepEqual(unreasoned(tree, planted), ["zod", "lost", "dev", "@types/zod", "@types/lost"].map((name) =>
        `packages/a states no reason for ${name}: put "// <why it is worth a dependency>" directly above an import of it`));
    });
  });
});
