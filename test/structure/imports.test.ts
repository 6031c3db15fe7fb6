import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { importOffences, MAY_IMPORT, packageCycles } from "./imports.ts";
import { packagesOf, readTree, REPOSITORY, withTree } from "./tree.ts";

describe("import directions", async () => {
  const files = await readTree(REPOSITORY);
  const packages = packagesOf(files);

  test("every package keeps to its layer, and to what the others export", () => {
    assert.ok(packages.length >= 13, `only ${packages.length} packages were found`);
    assert.deepEqual(importOffences(files, packages), []);
  });

  test("there is no cycle between packages", () => {
    assert.deepEqual(packageCycles(files, packages), []);
  });

  test("the allowed directions have no cycle either", () => {
    const rank = (name: string, path: readonly string[] = []): number => {
      assert.ok(!path.includes(name), `cycle: ${[...path, name].join(" → ")}`);
      return 1 + Math.max(0, ...(MAY_IMPORT[name] ?? []).map((next) => rank(next, [...path, name])));
    };
    for (const name of Object.keys(MAY_IMPORT)) rank(name);
  });

  test("control: planted violations are found, each with its place", async () => {
    const manifest = (name: string, exports: object = { ".": "./src/index.ts" }, dependencies: object = {}) =>
      JSON.stringify({ name: `@beeuni/${name}`, exports, dependencies });
    const planted = {
      "packages/protocol/package.json": manifest("protocol", { ".": "./a.ts", "./b": "./b.ts", "./c": "./c.ts", "./d": "./d.ts", "./e/*": "./e/*" }),
      "packages/protocol/src/index.ts": 'import type { X } from "@beeuni/transcript";\n',
      "packages/transcript/package.json": manifest("transcript"),
      "packages/transcript/src/index.ts": 'export * from "@beeuni/protocol";\nexport * from "./ok.ts";\nimport "@beeuni/transcript";\n',
      "packages/transcript/src/ok.ts": '// import "@beeuni/cli";\nexport const text = \'import "@beeuni/cli"\';\nimport "./x.test.ts";\n',
      "packages/transcript/src/x.test.ts": 'import "@beeuni/daemon";\nimport "../../daemon/src/index.ts";\n',
      "packages/daemon/package.json": manifest("daemon"),
      "packages/daemon/src/index.ts": 'const late = await import(\n  "@beeuni/adapters"\n);\nimport "@beeuni/protocol/src/ids.ts";\nimport "../../../scripts/x.ts";\n',
      "packages/adapters/package.json": manifest("adapters", { "./late": "./late.ts" }),
      "packages/orphan/package.json": manifest("orphan"),
      "test/e2e/a.test.ts": 'import "../../packages/daemon/src/index.ts";\n',
    };
    await withTree(planted, (tree) => {
      assert.deepEqual(importOffences(tree, packagesOf(tree)), [
        'packages/adapters/package.json exports no "."',
        "packages/orphan: the package @beeuni/orphan has no place in the layers (test/structure/imports.ts)",
        "packages/protocol/package.json exports 4 subpaths, two are allowed",
        "packages/protocol/package.json exports the pattern ./e/*",
        "packages/daemon/src/index.ts:2 imports @beeuni/adapters, which is not exported",
        "packages/daemon/src/index.ts:4 imports @beeuni/protocol/src/ids.ts, which is not exported",
        "packages/daemon/src/index.ts:5 leaves its package (../../../scripts/x.ts)",
        "packages/protocol/src/index.ts:1 imports @beeuni/transcript: protocol may not see transcript",
        "packages/transcript/src/index.ts:3 imports its own package by name",
        "packages/transcript/src/ok.ts:3 imports a test (./x.test.ts)",
        "packages/transcript/src/x.test.ts:2 reaches into packages/daemon by path (../../daemon/src/index.ts); import @beeuni/daemon",
        "test/e2e/a.test.ts:1 reaches into packages/daemon by path (../../packages/daemon/src/index.ts); import @beeuni/daemon",
      ]);
      assert.deepEqual(packageCycles(tree, packagesOf(tree)), ["protocol → transcript → protocol"]);
    });
    const visible = { ...planted, "packages/adapters/package.json": manifest("adapters") };
    await withTree(visible, (tree) => {
      assert.ok(importOffences(tree, packagesOf(tree)).includes("packages/daemon/src/index.ts:2 imports @beeuni/adapters: daemon may not see adapters"));
    });
  });
});
