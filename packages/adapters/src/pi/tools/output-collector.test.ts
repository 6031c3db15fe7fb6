import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { MAX_BYTES, MAX_LINES } from "./limits.ts";
import { OutputCollector } from "./output-collector.ts";

function collect(chunks: readonly Uint8Array[]): { collected: ReturnType<OutputCollector["end"]>; file: string | null; folderExists: boolean } {
  const folder = mkdtempSync(join(tmpdir(), "beeuni-output-"));
  try {
    const outputs = join(folder, "outputs");
    const collector = new OutputCollector(outputs, "bash-1");
    for (const chunk of chunks) collector.write(chunk);
    const collected = collector.end();
    return { collected, file: collected.file === null ? null : readFileSync(collected.file, "utf8"), folderExists: existsSync(outputs) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("output of a command", () => {
  test("short output stays in memory; characters split between chunks are whole", () => {
    const bytes = Buffer.from("grün\n");
    const { collected, folderExists } = collect([bytes.subarray(0, 3), bytes.subarray(3)]);
    assert.deepEqual(collected, { text: "grün\n", bytes: 6, lines: 1, truncated: false, file: null });
    assert.equal(folderExists, false);
  });

  test("of long output the model gets the end, and all of it is in a file", () => {
    const whole = Array.from({ length: 30_000 }, (_, line) => `line ${line}\n`).join("");
    const bytes = Buffer.from(whole);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7_001) }, (_, index) => bytes.subarray(index * 7_001, (index + 1) * 7_001));
    const { collected, file } = collect(chunks);
    assert.equal(file, whole);
    assert.deepEqual([collected.bytes, collected.lines, collected.truncated], [bytes.length, 30_000, true]);
    assert.match(collected.text, new RegExp(`^\\[Output truncated: ${bytes.length} bytes, 30000 lines; this is its end\\. The whole output is in .*bash-1\\.txt; read it in parts or search it\\.\\]\nline 28000\n`));
    assert.ok(collected.text.endsWith("line 29999\n"));
  });

  test("one endless line is cut in front", () => {
    const { collected, file } = collect([Buffer.from("x".repeat(3 * MAX_BYTES))]);
    assert.equal(file?.length, 3 * MAX_BYTES);
    assert.equal(collected.text.split("\n").at(-1)?.length, MAX_BYTES);
  });
});

test("output that can't be kept on the disk does not end the command; the note says so", () => {
  const folder = mkdtempSync(join(tmpdir(), "beeuni-collector-"));
  try {
    writeFileSync(join(folder, "outputs"), "a file where the folder should be");
    const collector = new OutputCollector(join(folder, "outputs"), "bash-1");
    collector.write(Buffer.from("line\n".repeat(MAX_LINES + 1)));
    const { text, truncated, file } = collector.end();
    assert.deepEqual({ truncated, file }, { truncated: true, file: null });
    assert.match(text, /The rest could not be kept: EEXIST.*\]\nline\n/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
