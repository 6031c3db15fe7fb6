import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { AnswerFile } from "./answer-file.ts";

const folder = mkdtempSync(join(tmpdir(), "beeuni-answer-"));
after(() => rmSync(folder, { recursive: true }));

test("the answer is written whole, through links, and leaves no draft", async () => {
  writeFileSync(join(folder, "real.md"), "old");
  symlinkSync("real.md", join(folder, "link.md"));
  await (await AnswerFile.prepare("link.md", folder)).write("new answer");
  await (await AnswerFile.prepare("fresh.md", folder)).write("done\n");
  assert.equal(readFileSync(join(folder, "real.md"), "utf8"), "new answer\n");
  assert.equal(readFileSync(join(folder, "fresh.md"), "utf8"), "done\n");
  assert.deepEqual(readdirSync(folder).sort(), ["fresh.md", "link.md", "real.md"]);
});

test("a place that cannot take the answer is refused before the turn", async () => {
  mkdirSync(join(folder, "sub"));
  for (const [file, code] of [["sub", "usage"], ["-", "usage"], ["nowhere/a.md", "storage_failed"]] as const) {
    await assert.rejects(AnswerFile.prepare(file, folder), (error) => error instanceof BeeuniError && error.code === code && error.hint !== undefined);
  }
});

test("a device is written to, not replaced", async () => {
  await (await AnswerFile.prepare("/dev/null", folder)).write("x");
  assert.deepEqual(readdirSync("/dev").filter((name) => name.startsWith("null")), ["null"]);
});
