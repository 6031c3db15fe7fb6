import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { toolBench } from "../testing/tool-bench.ts";
import { editTool, tolerantEditInput } from "./edit.ts";
import { readTool } from "./read.ts";
import { readBytes } from "./text-file.ts";
import { writeTool } from "./write.ts";

describe("read", () => {
  test("text comes as it is, in pages", async () => {
    await using bench = await toolBench();
    const path = join(bench.workspace, "a.txt");
    await writeFile(path, "one\ntwo\nthree\n");
    assert.deepEqual(await bench.run(readTool, { path: "a.txt" }), { output: "one\ntwo\nthree", metadata: { path: "a.txt", from: 1, to: 3, lines: 3 } });
    assert.equal((await bench.run(readTool, { path, offset: 2, limit: 1 })).output, "two\n[Lines 2 to 2 of 3. Read on with offset 3.]");
    await writeFile(path, Array.from({ length: 2_500 }, (_, line) => line).join("\n"));
    assert.match((await bench.run(readTool, { path: "a.txt" })).output, /\n1999\n\[Lines 1 to 2000 of 2500\. Read on with offset 2001\.\]$/);
    await writeFile(path, "x".repeat(60_000));
    assert.match((await bench.run(readTool, { path: "a.txt" })).output, /x\n\[Line 1 is 60000 bytes long; this is its beginning\. Use bash for the rest\.\]$/);
  });

  test("what is no text is named for what it is", async () => {
    await using bench = await toolBench();
    await writeFile(join(bench.workspace, "empty"), "");
    await writeFile(join(bench.workspace, "binary"), Buffer.from([1, 0, 2]));
    await mkdir(join(bench.workspace, "folder"));
    assert.equal((await bench.run(readTool, { path: "empty" })).output, "(The file is empty.)");
    assert.equal((await bench.fails(readTool, { path: "binary" })).message, "binary is a binary file (3 bytes).");
    assert.equal((await bench.fails(readTool, { path: "folder" })).message, "folder is a folder. Use glob to list its files.");
    assert.equal((await bench.fails(readTool, { path: "none/x" })).message, "Can't read none/x: there is no such file.");
    await writeFile(join(bench.workspace, "a.txt"), "1\n");
    assert.equal((await bench.fails(readTool, { path: "a.txt", offset: 2 })).message, "a.txt has 1 lines; there is no line 2.");
  });

  test("a pipe, a folder or a file without end is named for what it is, and nothing waits for it", { timeout: 20_000 }, async () => {
    await using bench = await toolBench();
    execFileSync("mkfifo", ["pipe", "pipe.png"].map((name) => join(bench.workspace, name)));
    await mkdir(join(bench.workspace, "folder.png"));
    for (const path of ["pipe", "pipe.png"]) assert.equal((await bench.fails(readTool, { path })).message, `${path} is not a regular file.`);
    assert.equal((await bench.fails(readTool, { path: "folder.png" })).message, "folder.png is a folder. Use glob to list its files.");
    assert.equal((await bench.fails(writeTool, { path: "pipe", content: "x" })).message, "pipe is not a regular file.");
    assert.equal((await bench.fails(editTool, { path: "pipe", edits: [{ oldText: "a", newText: "b" }] })).message, "pipe is not a regular file.");
    if (process.platform !== "linux") return;
    await assert.rejects(readBytes("/proc/self/pagemap", "endless", 99_999, "too many."), { message: "endless has 100000 bytes or more, too many." });
  });

  test("an image comes as an image", async () => {
    await using bench = await toolBench();
    await writeFile(join(bench.workspace, "dot.PNG"), Buffer.from([1, 2, 3]));
    assert.deepEqual(await bench.run(readTool, { path: "dot.PNG" }), {
      output: "(image dot.PNG, image/png, 3 bytes)", metadata: { path: "dot.PNG", mime: "image/png", bytes: 3 }, images: [{ mime: "image/png", data: "AQID" }],
    });
  });
});

describe("write", () => {
  test("creates folders, replaces content, and says which it was", async () => {
    await using bench = await toolBench();
    assert.deepEqual(await bench.run(writeTool, { path: "a/b/c.txt", content: "grün" }), { output: "Created a/b/c.txt (5 bytes).", metadata: { path: "a/b/c.txt", bytes: 5, created: true } });
    assert.equal((await bench.run(writeTool, { path: "a/b/c.txt", content: "" })).output, "Replaced a/b/c.txt (0 bytes).");
    assert.equal(await readFile(join(bench.workspace, "a/b/c.txt"), "utf8"), "");
    assert.equal((await bench.fails(writeTool, { path: "a/b/c.txt/d", content: "" })).message, "Can't write a/b/c.txt/d: a file of that name is in the way.");
    assert.equal((await bench.fails(writeTool, { path: "a", content: "" })).message, "Can't write a: it is a folder.");
  });
});

describe("edit", () => {
  const edit = async (content: string, ...edits: object[]): Promise<string> => {
    await using bench = await toolBench();
    const path = join(bench.workspace, "f");
    await writeFile(path, content);
    try {
      return `${(await bench.run(editTool, { path: "f", edits })).output} ${JSON.stringify(await readFile(path, "utf8"))}`;
    } catch (error) {
      assert.equal(await readFile(path, "utf8"), content, "a failed edit changed the file");
      return (error as Error).message;
    }
  };

  test("replaces exact text, several places in one call, matched against the file as it was", async () => {
    assert.equal(await edit("a b c\n", { oldText: "a", newText: "b" }, { oldText: "b", newText: "" }), 'Edited f (2 replacements). "b  c\\n"');
    assert.equal(await edit("x x x", { oldText: "x", newText: "y", replaceAll: true }), 'Edited f (3 replacements). "y y y"');
  });

  test("says exactly what does not fit, and changes nothing then", async () => {
    assert.equal(await edit("a\nb\na\n", { oldText: "a", newText: "c" }), "oldText is in f 2 times (lines 1, 3). Add text around it, or set replaceAll.");
    assert.equal(await edit("a", { oldText: "a", newText: "b" }, { oldText: "z", newText: "" }), "edits[1].oldText is not in f. It must match exactly, blanks and line breaks included: read the file again.");
    assert.equal(await edit("abc", { oldText: "ab", newText: "" }, { oldText: "bc", newText: "" }), "edits[0] and edits[1] overlap in f. Merge them into one edit.");
    assert.equal(await edit("abc", { oldText: "", newText: "x" }), "oldText is empty. To write a whole file use write.");
    assert.equal(await edit("abc", { oldText: "b", newText: "b" }), "The edit would not change f: the new text is the same as the old.");
    assert.equal(await edit("abc"), "edits must hold at least one replacement.");
  });

  test("a file with Windows line ends keeps them; a mixed one is matched as it is", async () => {
    assert.equal(await edit("a\r\nb\r\nc\r\n", { oldText: "a\nb", newText: "x\ny\nz" }), 'Edited f (1 replacement). "x\\r\\ny\\r\\nz\\r\\nc\\r\\n"');
    assert.equal(await edit("a\r\nb\nc", { oldText: "a\r\n", newText: "x\n" }), 'Edited f (1 replacement). "x\\nb\\nc"');
  });

  test("a byte order mark stays, and what is not UTF-8 is not touched", async () => {
    assert.equal(await edit("\uFEFFa", { oldText: "a", newText: "b" }), 'Edited f (1 replacement). "\uFEFFb"');
    await using bench = await toolBench();
    await writeFile(join(bench.workspace, "latin"), Buffer.from([0x61, 0xe4]));
    assert.equal((await bench.fails(editTool, { path: "latin", edits: [{ oldText: "a", newText: "b" }] })).message, "latin is not UTF-8 text.");
  });

  test("edits of one file at the same time do not lose each other", async () => {
    await using bench = await toolBench();
    await writeFile(join(bench.workspace, "f"), "1 2 3 4 5");
    await Promise.all([1, 2, 3, 4, 5].map((digit) => bench.run(editTool, { path: "f", edits: [{ oldText: String(digit), newText: "x" }] })));
    assert.equal(await readFile(join(bench.workspace, "f"), "utf8"), "x x x x x");
  });

  test("the shapes that models send instead are understood", () => {
    const wanted = { path: "f", edits: [{ oldText: "a", newText: "b" }] };
    for (const sent of [wanted, { path: "f", oldText: "a", newText: "b" }, { path: "f", edits: wanted.edits[0] }, { path: "f", edits: JSON.stringify(wanted.edits) }]) {
      assert.deepEqual(tolerantEditInput(sent), wanted);
    }
    assert.deepEqual(tolerantEditInput({ path: "f", edits: "no json" }), { path: "f", edits: "no json" });
    assert.equal(tolerantEditInput(null), null);
  });
});
