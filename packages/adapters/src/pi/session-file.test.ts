import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inspectSessionFile, wholeLines } from "./session-file.ts";

const HEADER = '{"type":"session","id":"abc"}\n';

async function inspect(content: string | null): Promise<{ found: Awaited<ReturnType<typeof inspectSessionFile>>; left: string | null }> {
  const folder = await mkdtemp(join(tmpdir(), "beeuni-native-"));
  try {
    const file = join(folder, "2026_abc.jsonl");
    if (content !== null) await writeFile(file, content);
    const found = await inspectSessionFile(folder, "abc");
    return { found: "file" in found ? { ...found, file: found.file.slice(folder.length + 1) } : found, left: content === null ? null : await readFile(file, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("Pi's session file", () => {
  test("a whole file is ready, untouched", async () => {
    assert.deepEqual(await inspect(`${HEADER}{"a":1}\n`), { found: { state: "ready", file: "2026_abc.jsonl", tornBytes: 0 }, left: `${HEADER}{"a":1}\n` });
  });

  test("an unfinished last line is cut off and reported", async () => {
    assert.deepEqual(await inspect(`${HEADER}{"a":1}\n{"b":`), { found: { state: "ready", file: "2026_abc.jsonl", tornBytes: 5 }, left: `${HEADER}{"a":1}\n` });
    assert.deepEqual((await inspect(`${HEADER}{"a":1}\n\0\0\0\n`)).left, `${HEADER}{"a":1}\n`);
  });

  test("a file that is no session of this id can't be used; one that is not there is missing", async () => {
    for (const content of ["", "garbage\n", '{"type":"session","id":"other"}\n']) {
      assert.deepEqual((await inspect(content)).found, { state: "unreadable", file: "2026_abc.jsonl", why: "its first line is not the session's header" });
    }
    assert.deepEqual((await inspect(null)).found, { state: "missing" });
  });

  test("whole lines end with a newline and are JSON", () => {
    assert.equal(wholeLines(Buffer.from("1\n2\n")), 4);
    assert.equal(wholeLines(Buffer.from("1\n2")), 2);
    assert.equal(wholeLines(Buffer.from("1\nx\n")), 2);
    assert.equal(wholeLines(Buffer.from("x")), 0);
  });
});
