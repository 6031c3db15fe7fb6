import { BeeuniError } from "@beeuni/protocol";
import { createSessionLog, openSessionLog, readSessionLog, sessionHolder } from "@beeuni/transcript/log";
import { sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { NODE_FS, type LogFs } from "./files.ts";
import { takeLock } from "./lock.ts";
import { notice, sessionFolder } from "./testing.ts";

/** A process that opens the session and holds it until it is killed. Resolves with what it said. */
async function holder(t: TestContext, directory: string): Promise<{ child: ChildProcess; said: string }> {
  const program = `
    import { openSessionLog } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
    await openSessionLog(${JSON.stringify(directory)}).then((log) => { globalThis.log = log; console.log("open"); }, (error) => console.log(error.code));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [chunk] = (await once(child.stdout!, "data")) as [Buffer];
  return { child, said: chunk.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("a session that another process has open is refused, naming it and since when; reading it is fine", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  assert.equal(await sessionHolder(directory), null);
  const { child, said } = await holder(t, directory);
  assert.equal(said, "open");
  const { since } = JSON.parse(await readFile(join(directory, "lock"), "utf8")) as { since: number };
  assert.deepEqual(await sessionHolder(directory), { pid: child.pid, since });
  await assert.rejects(openSessionLog(directory), {
    code: "session_locked",
    message: `session ses_root is open in process ${child.pid} since ${new Date(since).toISOString()}`,
    hint: `use it there (beeuni session ls), or end process ${child.pid} first`,
  });
  assert.equal((await readSessionLog(directory)).state.seq, 1);
  await kill(child);
  assert.equal(await sessionHolder(directory), null);
  const log = await openSessionLog(directory);
  await assert.rejects(openSessionLog(directory), { code: "session_locked", message: /is open in this process \(pid/ });
  await log.close();
  assert.deepEqual(await readdir(directory), ["log.jsonl"]);
});

test("of many that find a dead owner's lock, in one process and in several, exactly one gets it", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  const { child } = await holder(t, directory);
  await kill(child);
  const stale = join(directory, "..", "stale");
  await copyFile(join(directory, "lock"), stale);
  for (let round = 0; round < 8; round++) {
    await copyFile(stale, join(directory, "lock"));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => openSessionLog(directory)));
    const open = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const codes = results.flatMap((result) => (result.status === "rejected" ? [(result.reason as BeeuniError).code] : []));
    assert.deepEqual([open.length, codes], [1, Array(7).fill("session_locked")]);
    await open[0]!.close();
    assert.deepEqual(await readdir(directory), ["log.jsonl"]);
  }
  await copyFile(stale, join(directory, "lock"));
  const processes = await Promise.all(Array.from({ length: 4 }, () => holder(t, directory)));
  assert.deepEqual(processes.map(({ said }) => said).sort(), ["open", "session_locked", "session_locked", "session_locked"]);
  for (const { child: racer } of processes) await kill(racer);
});

/** A file system whose first reading of the lock ends, and is handed on only when `go` is called. */
function slowReader(path: string): { fs: LogFs; hasRead: Promise<void>; go: () => void } {
  const read = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  const readFileSlowly = async (file: string, encoding: "utf8"): Promise<string> => {
    const text = await NODE_FS.readFile(file, encoding);
    if (isFirst && file === path) {
      isFirst = false;
      read.resolve();
      await gate.promise;
    }
    return text;
  };
  return { fs: { ...NODE_FS, readFile: readFileSlowly as LogFs["readFile"] }, hasRead: read.promise, go: gate.resolve };
}

const DEAD = { pid: 2 ** 22 - 3, started: "1", boot: null, epoch: "dead", since: 1 };

test("one that saw the dead owner before another took over does not take over from the living one", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  const path = join(directory, "lock");
  await writeFile(path, JSON.stringify(DEAD));
  const slow = slowReader(path);
  const late = takeLock(slow.fs, path, "late", 0);
  await slow.hasRead;
  const winner = await takeLock(NODE_FS, path, "winner", 0);
  slow.go();
  await assert.rejects(late, { code: "session_locked" });
  await winner.release();

  // The control: without the second look, by deleting the dead owner's file and creating one's own, both have it.
  await writeFile(path, JSON.stringify(DEAD));
  const naive = slowReader(path);
  const lateNaive = takeLockNaively(naive.fs, path);
  await naive.hasRead;
  await takeLockNaively(NODE_FS, path);
  naive.go();
  assert.equal(await lateNaive, true);
});

async function takeLockNaively(fs: LogFs, path: string): Promise<boolean> {
  const { pid } = JSON.parse(await fs.readFile(path, "utf8")) as { pid: number };
  if (pid === process.pid) return false;
  await rm(path);
  await writeFile(path, JSON.stringify({ ...DEAD, pid: process.pid }), { flag: "wx" });
  return true;
}

test("a taker that dies in the middle of taking over stops nobody", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  await writeFile(join(directory, "lock"), JSON.stringify(DEAD));
  await writeFile(join(directory, "lock.over.dead"), JSON.stringify({ ...DEAD, epoch: "taker" }));
  const log = await openSessionLog(directory);
  await log.close();
  assert.deepEqual(await readdir(directory), ["log.jsonl"]);
});

test("a process id that was given away again, another boot, and an empty lock file hold nothing", async (t) => {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo());
  const mine = JSON.parse(await readFile(join(directory, "lock"), "utf8")) as object;
  await log.close();
  for (const text of [JSON.stringify({ ...mine, started: "1" }), JSON.stringify({ ...mine, boot: "another" }), "", "{}", '{"pid":1,"epoch":"../x","since":1}']) {
    await writeFile(join(directory, "lock"), text);
    const again = await openSessionLog(directory);
    await again.close();
    assert.deepEqual(await readdir(directory), ["log.jsonl"], text);
  }
  // The control: that very file with nothing changed holds.
  await writeFile(join(directory, "lock"), JSON.stringify(mine));
  await assert.rejects(openSessionLog(directory), { code: "session_locked" });
});

test("closing does not remove a lock that is somebody else's", async (t) => {
  const directory = await sessionFolder(t);
  const log = await createSessionLog(directory, sampleInfo());
  await writeFile(join(directory, "lock"), JSON.stringify({ ...DEAD, epoch: "other" }));
  await log.close();
  assert.deepEqual((await readdir(directory)).sort(), ["lock", "log.jsonl"]);
});

test("a process that is killed loses nothing that it was told was flushed, and the next one opens at once", async (t) => {
  const directory = await sessionFolder(t);
  await (await createSessionLog(directory, sampleInfo())).close();
  for (let round = 0; round < 3; round++) {
    const program = `
      import { openSessionLog } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
      const log = await openSessionLog(${JSON.stringify(directory)});
      for (;;) {
        log.append(${JSON.stringify(notice("x".repeat(3000)))});
        await log.flushed();
        process.stdout.write(log.flushedSeq + "\\n");
      }`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.length > 60 + round * 37) child.kill("SIGKILL");
    });
    await once(child, "close");
    const acknowledged = Number(said.split("\n").at(-2));
    const log = await openSessionLog(directory);
    assert.ok(log.state.seq >= acknowledged, `${log.state.seq} events, ${acknowledged} acknowledged`);
    await log.close();
  }
});
