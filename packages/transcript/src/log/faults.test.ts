import { createSessionLog, openSessionLog, readSessionLog } from "@beeuni/transcript/log";
import { sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { failure, faultyFs, type LogFileFaults, notice, sessionFolder } from "./testing.ts";
import { NODE_FS } from "./files.ts";

const REASONS = {
  ENOSPC: ["no space is left on the device (ENOSPC)", "free some space, then open the session again: what was acknowledged is kept"],
  EIO: ["the device reports an input/output error (EIO)", "make the folder writable, then open the session again: what was acknowledged is kept"],
  EROFS: ["the file system is read-only (EROFS)", "make the folder writable, then open the session again: what was acknowledged is kept"],
} as const;

for (const [code, [reason, hint]] of Object.entries(REASONS)) {
  for (const operation of ["write", "datasync"] as const) {
    for (const canTruncate of [true, false]) {
      test(`${code} in ${operation}${canTruncate ? "" : ", and nothing can be cut off"}: refused, never acknowledged, what was flushed stays`, async (t) => {
        const directory = await sessionFolder(t);
        const path = join(directory, "log.jsonl");
        const faults: LogFileFaults = {};
        const log = await createSessionLog(directory, sampleInfo(), { fs: faultyFs(faults) });
        log.append(notice("kept"));
        await log.flushed();
        const kept = await readFile(path, "utf8");
        const told: number[] = [];
        log.subscribe((events) => told.push(...events.map(({ seq }) => seq)));

        if (operation === "datasync") faults.datasync = async () => { throw failure(code); };
        // Half of it fits, then none.
        else faults.write = async (real, buffer, offset, length, position) => {
          if (offset > 0) throw failure(code);
          return await real.write(buffer, offset, Math.ceil(length / 2), position);
        };
        if (!canTruncate) faults.truncate = async () => { throw failure(code); };
        log.append(notice("lost"));
        const expected = { code: "storage_failed", message: `${path} can't be written: ${reason}`, hint };
        await assert.rejects(log.flushed(), expected);
        await assert.rejects(log.flushed(3), expected);
        assert.throws(() => log.append(notice("refused")), expected);
        await log.flushed(2);
        assert.deepEqual([told, log.flushedSeq], [[], 2]);
        const numbers: number[] = [];
        for await (const { seq } of log.read(0)) numbers.push(seq);
        assert.deepEqual(numbers, [1, 2]);
        await assert.rejects(log.close(), expected);

        const text = await readFile(path, "utf8");
        assert.ok(text.startsWith(kept));
        if (canTruncate) assert.equal(text, kept);
        if (operation === "write") assert.equal((await readSessionLog(directory)).state.seq, 2);
        // The disk is well again. A line that was written whole but not synced may have stayed: it was not acknowledged.
        const again = await openSessionLog(directory);
        assert.equal(again.state.seq, operation === "datasync" && !canTruncate ? 3 : 2);
        if (operation === "write") assert.equal(await readFile(path, "utf8"), kept);
        again.append(notice("again"));
        await again.close();
        assert.deepEqual(await readdir(directory), ["log.jsonl"]);
      });
    }
  }
}

test("a disk that takes a few bytes at a time is written to the end", async (t) => {
  const directory = await sessionFolder(t);
  const fs = faultyFs({ write: (real, buffer, offset, length, position) => real.write(buffer, offset, Math.min(7, length), position) });
  const log = await createSessionLog(directory, sampleInfo(), { fs });
  log.append(notice("é🐝".repeat(50)), notice("b"));
  await log.close();
  assert.equal((await readSessionLog(directory)).state.seq, 3);
});

test("a folder that can't be written says so, and leaves nothing behind", async (t) => {
  const directory = await sessionFolder(t);
  const noSpace = { ...NODE_FS, open: (async (path: string, flags: string, mode?: number) => {
    if (flags === "w") throw failure("ENOSPC");
    return await NODE_FS.open(path, flags, mode);
  }) as typeof NODE_FS.open };
  await assert.rejects(createSessionLog(directory, sampleInfo(), { fs: noSpace }), {
    code: "storage_failed", message: `${join(directory, "log.jsonl")} can't be created: no space is left on the device (ENOSPC)`,
  });
  assert.deepEqual(await readdir(directory), []);
  await assert.rejects(openSessionLog(directory), { code: "session_not_found" });
});

test("a parent that is no folder, or is read-only, is a storage failure", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  const inside = join(directory, "log.jsonl", "ses_2");
  await assert.rejects(createSessionLog(inside, sampleInfo()), { code: "storage_failed" });
  if (process.getuid?.() === 0) return;
  await mkdir(join(dirname(directory), "closed"));
  await chmod(join(dirname(directory), "closed"), 0o500);
  await assert.rejects(createSessionLog(join(dirname(directory), "closed", "ses_3"), sampleInfo()), { code: "storage_failed" });
});

test("a snapshot that can't be written costs nothing but time", async (t) => {
  const directory = await sessionFolder(t);
  const fs = { ...NODE_FS, rename: async (from: string, to: string) => {
    if (to.endsWith("snapshot.json")) throw failure("ENOSPC");
    await NODE_FS.rename(from, to);
  } } as typeof NODE_FS;
  const log = await createSessionLog(directory, sampleInfo(), { fs });
  for (let index = 0; index < 500; index++) log.append(notice(String(index)));
  await log.close();
  assert.deepEqual(await readdir(directory), ["log.jsonl"]);
  assert.equal((await readSessionLog(directory)).state.seq, 501);
  assert.ok((await stat(join(directory, "log.jsonl"))).size > 0);
});
