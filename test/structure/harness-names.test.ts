import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ALLOWED, exceptionFor, harnessNames } from "./harness-names.ts";
import { readTree, REPOSITORY, withTree } from "./tree.ts";

describe("harness names", async () => {
  const files = await readTree(REPOSITORY);

  test("no harness is named outside its folder", () => {
    assert.deepEqual(harnessNames(files), []);
  });

  test("every exception is a file that needs it", () => {
    const needed = new Set(harnessNames(files, {}).map((place) => exceptionFor(place.split(":")[0]!)));
    assert.deepEqual(Object.keys(ALLOWED).filter((path) => !needed.has(path)), []);
  });

  test("control: a planted name is found in code, comments, identifiers and file names", async () => {
    await withTree({
      "packages/daemon/src/turn.ts": '// Pi does this\nif (id === "pi") createPiSession();\nconst openCodeUrl = 1;\n',
      "packages/daemon/src/fine.ts": "flags.pi_harness; readFile('CLAUDE.md'); Math.PI; apiKey; copied; pipe; Pipe; API;\n",
      "packages/daemon/src/codex-events.ts": "",
      "packages/daemon/src/turn.test.ts": 'harness("pi");\n',
      "packages/adapters/src/pi/index.ts": 'export const id = "pi"; // unlike opencode\n',
      "packages/adapters/src/pi/codex.ts": "",
      "packages/adapters/src/index.ts": 'import("./pi/index.ts");\n',
      "docs/harnesses.md": "pi and opencode\n",
    }, (tree) => {
      assert.deepEqual(harnessNames(tree), [
        "packages/adapters/src/pi/codex.ts:0 codex",
        "packages/adapters/src/pi/index.ts:1 opencode",
        "packages/daemon/src/codex-events.ts:0 codex",
        "packages/daemon/src/turn.ts:1 Pi",
        "packages/daemon/src/turn.ts:2 pi",
        "packages/daemon/src/turn.ts:2 Pi",
        "packages/daemon/src/turn.ts:3 openCode",
      ]);
      const allowed = { "packages/daemon/src/": "a folder", "packages/adapters/src/pi/index.ts": "a file", "packages/adapters/src/index.ts": "another" };
      assert.deepEqual(harnessNames(tree, allowed), ["packages/adapters/src/pi/codex.ts:0 codex"]);
    });
  });
});
