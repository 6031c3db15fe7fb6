import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { longFiles, residue, switchedOff } from "./residue.ts";
import { readTree, REPOSITORY, withTree } from "./tree.ts";

/** Test files that may switch a test off, with the reason. */
const MAY_SKIP: { [path: string]: string } = {};

describe("no residue", async () => {
  const files = await readTree(REPOSITORY);

  test("no registry host, no place of work, no unfinished marker", () => {
    assert.ok(files.length > 50, `only ${files.length} files were read`);
    const registry = process.env["npm_config_registry"];
    assert.deepEqual(residue(files, registry === undefined ? [] : [new URL(registry).host]), []);
  });

  test("no test is switched off", () => {
    assert.deepEqual(switchedOff(files, MAY_SKIP), []);
  });

  test("no source file is longer than 500 lines; those over 300 are reported", (context) => {
    for (const file of longFiles(files, 300)) context.diagnostic(`${file}; 300 is the soft limit`);
    assert.deepEqual(longFiles(files, 500), []);
  });

  test("control: planted residue is found, each with its place", async () => {
    const host = ["registry", "example", "dev"].join(".");
    await withTree({
      "package-lock.json": `{"resolved":"https://${host}/x"}`,
      "docs/a.md": `npm i --registry https://${host}\nTODO write\nsee mirror.local`,
      "packages/a/src/a.ts": '// FIXME later\nthrow new Error("not implemented");\nexport const TODO = 1; // see /work/shared\n',
      "packages/a/src/a.test.ts": [
        "test.only('a', f); describe.skip('b', f); test('c', { skip: true }, f);", "context.todo('d'); // test.only(", "const only = 1; list.skip; 'test.only()'",
        "test('e', { skip }, f); test('f', { timeout: 1, todo: 'why' }, f);",
      ].join("\n"),
      "packages/a/src/long.ts": "\n".repeat(501),
      "packages/a/src/long.gen.ts": "\n".repeat(900),
      "packages/a/src/fits.ts": "\n".repeat(500),
    }, (tree) => {
      assert.deepEqual(residue(tree, ["mirror.local"]), [
        `docs/a.md:1 a registry's host: ${host}`, "docs/a.md:2 TODO", "docs/a.md:3 a registry's host: mirror.local",
        "packages/a/src/a.ts:3 a place outside the repository: /work/shared", "packages/a/src/a.ts:1 FIXME", "packages/a/src/a.ts:2 not implemented",
      ]);
      assert.deepEqual(switchedOff(tree), [
        "packages/a/src/a.test.ts:1 only", "packages/a/src/a.test.ts:1 skip", "packages/a/src/a.test.ts:1 skip", "packages/a/src/a.test.ts:2 todo",
        "packages/a/src/a.test.ts:4 skip", "packages/a/src/a.test.ts:4 todo",
      ]);
      assert.deepEqual(switchedOff(tree, { "packages/a/src/a.test.ts": "why" }), []);
      assert.deepEqual(longFiles(tree, 500), ["packages/a/src/long.ts has 501 lines"]);
      assert.deepEqual(longFiles(tree, 300), ["packages/a/src/long.ts has 501 lines", "packages/a/src/fits.ts has 500 lines"]);
    });
  });
});
