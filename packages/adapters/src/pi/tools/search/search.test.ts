import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { toolBench, type ToolBench } from "../../testing/tool-bench.ts";
import { globTool } from "../glob.ts";
import { grepTool } from "../grep.ts";
import { SearchThreads } from "./search-threads.ts";

const searches = new SearchThreads();
const glob = globTool(searches);
const grep = grepTool(searches);
after(() => searches.close());

async function tree(bench: ToolBench, files: { [path: string]: string | Uint8Array }): Promise<void> {
  for (const folder of new Set(Object.keys(files).map(dirname))) await mkdir(join(bench.workspace, folder), { recursive: true });
  await Promise.all(Object.entries(files).map(([path, content]) => writeFile(join(bench.workspace, path), content)));
}

const FILES = {
  "b.ts": "const b = 1;\n", "a.ts": "const a = 1;\n// MARK a-b\n", "src/deep/c.tsx": "export {};\n", "src/d.js": "MARK\n", ".env": "X=MARK\n", "notes.md": "",
  ".gitignore": "*.log\n/out/\n!keep.log\n", "x.log": "MARK", "keep.log": "MARK", "out/a.ts": "MARK", "src/out/e.ts": "", "src/.gitignore": "!y.log\nd.js\n", "src/y.log": "MARK",
  "node_modules/m/index.ts": "MARK", ".git/config": "MARK", "image.bin": Uint8Array.from([0x4d, 0x41, 0x52, 0x4b, 0]),
};

test("a .gitignore that is a pipe, or a link to something without end, is none", { timeout: 20_000 }, async () => {
  await using bench = await toolBench();
  await tree(bench, { "a/x.ts": "MARK\n", "b/x.ts": "MARK\n" });
  execFileSync("mkfifo", [join(bench.workspace, "a/.gitignore")]);
  await symlink("/dev/zero", join(bench.workspace, "b/.gitignore"));
  assert.equal((await bench.run(grep, { pattern: "MARK" })).output, "a/x.ts:1: MARK\nb/x.ts:1: MARK");
  assert.equal((await bench.run(grep, { pattern: "MARK", path: "a/.gitignore" })).output, "No matches found");
});

describe("glob", () => {
  test("finds by name or by path, hidden files too, without what git ignores; sorted", async () => {
    await using bench = await toolBench();
    await tree(bench, FILES);
    await symlink("/etc", join(bench.workspace, "link"));
    const find = async (pattern: string, path?: string): Promise<string[]> => (await bench.run(glob, { pattern, ...(path === undefined ? {} : { path }) })).output.split("\n");
    assert.deepEqual(await find("*.ts"), ["a.ts", "b.ts", "src/out/e.ts"]);
    assert.deepEqual(await find("**/*.{ts,tsx}"), ["a.ts", "b.ts", "src/deep/c.tsx", "src/out/e.ts"]);
    assert.deepEqual(await find("src/**"), ["src/.gitignore", "src/deep/c.tsx", "src/out/e.ts", "src/y.log"]);
    assert.deepEqual(await find("*.log"), ["keep.log", "src/y.log"]);
    assert.deepEqual(await find(".e*"), [".env"]);
    assert.deepEqual(await find("./a.ts"), ["a.ts"]);
    assert.deepEqual(await find(`${bench.workspace}/src/*/c.*`), ["src/deep/c.tsx"]);
    assert.deepEqual(await find("*.ts", "src"), ["src/out/e.ts"]);
    assert.deepEqual(await find("*.ts", "node_modules/m"), ["node_modules/m/index.ts"]);
    assert.deepEqual(await find("passwd"), ["No files found"]);
    assert.deepEqual(await find("*.log", "src"), ["src/y.log"]);
  });

  test("stops at 2000 files and says so", async () => {
    await using bench = await toolBench();
    await tree(bench, Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`f${String(index).padStart(4, "0")}`, ""])));
    const { output, metadata } = await bench.run(glob, { pattern: "*" });
    assert.deepEqual(metadata, { count: 2_000, truncated: true });
    assert.match(output, /\nf1999\n\[There are more\. Narrow the pattern or the path\.\]$/);
  });

  test("a folder that is not there, or is a file, is an error", async () => {
    await using bench = await toolBench();
    await tree(bench, { "f": "" });
    assert.equal((await bench.fails(glob, { pattern: "*", path: "no" })).message, "Can't search no: there is no such file.");
    assert.equal((await bench.fails(glob, { pattern: "*", path: "f" })).message, "f is not a folder.");
  });
});

describe("grep", () => {
  test("answers path:line: text, and leaves out binary and ignored files", async () => {
    await using bench = await toolBench();
    await tree(bench, FILES);
    const lines = async (input: object): Promise<string[]> => (await bench.run(grep, input as { pattern: string })).output.split("\n");
    assert.deepEqual(await lines({ pattern: "MARK" }), [".env:1: X=MARK", "a.ts:2: // MARK a-b", "keep.log:1: MARK", "src/y.log:1: MARK"]);
    assert.deepEqual(await lines({ pattern: "mark a\\-b", ignoreCase: true }), ["a.ts:2: // MARK a-b"]);
    assert.deepEqual(await lines({ pattern: "(?i)mark", glob: "*.ts" }), ["a.ts:2: // MARK a-b"]);
    assert.deepEqual(await lines({ pattern: "= 1;", literal: true, glob: "*.{ts,js}" }), ["a.ts:1: const a = 1;", "b.ts:1: const b = 1;"]);
    assert.deepEqual(await lines({ pattern: "MARK", path: "src/d.js" }), ["src/d.js:1: MARK"]);
    assert.deepEqual(await lines({ pattern: "nowhere" }), ["No matches found"]);
  });

  test("shows lines around matches once, and gaps between them", async () => {
    await using bench = await toolBench();
    await tree(bench, { f: "1\nhit\n3\nhit\n5\n6\n7\n8\nhit\n" });
    assert.deepEqual((await bench.run(grep, { pattern: "hit", context: 1 })).output.split("\n"), [
      "f-1- 1", "f:2: hit", "f-3- 3", "f:4: hit", "f-5- 5", "--", "f-8- 8", "f:9: hit",
    ]);
  });

  test("long lines are shortened, and too many lines end the answer", async () => {
    await using bench = await toolBench();
    await tree(bench, { long: "x".repeat(600), many: "y\n".repeat(2_001) });
    assert.equal((await bench.run(grep, { pattern: "x" })).output, `long:1: ${"x".repeat(500)} […]`);
    assert.match((await bench.run(grep, { pattern: "y" })).output, /many:2000: y\n\[There are more\. Narrow the pattern, the path or the glob\.\]$/);
  });

  test("a pattern that is none is an error with advice", async () => {
    await using bench = await toolBench();
    assert.match((await bench.fails(grep, { pattern: "(" })).message, /^Invalid regular expression: .* Correct the pattern, or set literal to search for it as plain text\.$/);
  });

  test("a pattern that backtracks for ever is stopped with the turn, and holds up nothing", async () => {
    await using bench = await toolBench();
    await tree(bench, { trap: `${"a".repeat(40)}!\n` });
    const failed = bench.fails(grep, { pattern: "(a+)+$" });
    await new Promise((resolve) => setTimeout(resolve, 150));
    bench.stop.abort();
    assert.deepEqual(await failed, { kind: "aborted", message: "The call was stopped before it ended.", metadata: {} });
  });
});
