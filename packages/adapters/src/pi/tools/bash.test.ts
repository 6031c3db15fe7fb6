import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { toolBench } from "../testing/tool-bench.ts";
import { bashTool } from "./bash.ts";
import { LeftBehind } from "./left-behind.ts";

const bash = bashTool(new LeftBehind());

/** Live processes; a dead one that nobody has waited for does not count. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}

async function pidsIn(path: string, count: number): Promise<number[]> {
  for (;;) {
    const pids = (await readFile(path, "utf8").catch(() => "")).trim().split("\n").map(Number).filter((pid) => pid > 0);
    if (pids.length === count) return pids;
    await wait(5);
  }
}

describe("bash", () => {
  test("output and errors come in the order of writing, with the exit code when it is not 0", async () => {
    await using bench = await toolBench();
    assert.deepEqual(await bench.run(bash, { command: "echo 1; echo 2 >&2; echo 3; exit 4" }), {
      output: "1\n2\n3\n[exit code 4]", metadata: { bytes: 6, lines: 3, truncated: false, exit: 4 },
    });
    assert.equal((await bench.run(bash, { command: "true" })).output, "(no output)");
    assert.equal((await bench.run(bash, { command: "printf x" })).output, "x");
    assert.equal((await bench.run(bash, { command: "kill -9 $$" })).output, "[ended by SIGKILL]");
  });

  test("runs in the workspace with the given environment and nothing else", async () => {
    await using bench = await toolBench();
    process.env["BEEUNI_TEST_SECRET"] = "do not tell";
    const { output } = await bench.run(bash, { command: "pwd; env" });
    delete process.env["BEEUNI_TEST_SECRET"];
    const [folder, ...names] = output.trim().split("\n").map((line) => line.split("=")[0]!);
    assert.equal(folder, bench.workspace);
    assert.deepEqual(names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)).sort(), ["LANG", "ONLY", "PATH"]);
  });

  test("it is bash, and commands have no input to wait for", async () => {
    await using bench = await toolBench();
    assert.equal((await bench.run(bash, { command: 'a=(x y); echo "${a[1]}"; cat <<E\nhere $((1+1))\nE\nread line || echo none' })).output, "y\nhere 2\nnone\n");
  });

  test("a stop kills the whole group, also when it ignores the polite signals, and keeps the output", async () => {
    await using bench = await toolBench();
    const file = join(bench.workspace, "pids");
    const failed = bench.fails(bash, { command: `trap '' INT TERM; echo begun; (trap '' INT TERM; sleep 300) & echo $! > ${file}; sleep 300 & echo $! >> ${file}; echo $$ >> ${file}; wait` });
    const pids = await pidsIn(file, 3);
    const before = performance.now();
    bench.stop.abort();
    assert.deepEqual(await failed, {
      kind: "aborted", message: "The call was stopped before it ended.", metadata: { bytes: 6, lines: 1, truncated: false, output: "begun\n" },
    });
    assert.ok(performance.now() - before < 1_000);
    assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false, false]);
  });

  test("control: a stop that only asks politely leaves such a group alive", async () => {
    await using bench = await toolBench();
    const file = join(bench.workspace, "pid");
    const failed = bench.fails(bash, { command: `trap '' INT TERM; echo $$ > ${file}; sleep 1000; while :; do sleep 1000; done` });
    const [pid] = await pidsIn(file, 1);
    process.kill(-pid!, "SIGTERM");
    process.kill(-pid!, "SIGINT");
    await wait(50);
    assert.equal(await isRunning(pid!), true);
    bench.stop.abort();
    await failed;
    assert.equal(await isRunning(pid!), false);
  });

  test("a command is stopped after its timeout, with what it printed", async () => {
    await using bench = await toolBench();
    const { kind, message } = await bench.fails(bash, { command: "echo begun; sleep 60", timeout: 0.2 });
    assert.equal(kind, "failed");
    assert.equal(message, "begun\n[The command was stopped after 0.2 s. Give a longer timeout, or run it with & and its output in a file.]");
  });

  test("a process left behind does not hold up the call, lives on, and ends with the session", async () => {
    await using bench = await toolBench();
    const left = new LeftBehind();
    const file = join(bench.workspace, "pid");
    const { output } = await bench.run(bashTool(left), { command: `(while :; do echo tick; sleep 0.02; done) & echo $! > ${file}; sleep 0.1; echo done` });
    assert.match(output, /done/);
    const [pid] = await pidsIn(file, 1);
    await wait(100);
    assert.equal(await isRunning(pid!), true, "it died of its closed output");
    await left.stopAll();
    assert.equal(await isRunning(pid!), false);
  });

  test("a command does not outlive this process, whatever ends it, and its guard goes with it", async () => {
    await using bench = await toolBench();
    const file = join(bench.workspace, "pids");
    const program = `
      const { startGroup } = await import(${JSON.stringify(new URL("./process-group.ts", import.meta.url).href)});
      const env = { PATH: "/usr/bin:/bin" };
      await startGroup("(sleep 300 & echo $! >> ${file})", { shell: "/bin/bash", cwd: "/", env, onOutput() {} }).exit;
      startGroup("trap '' TERM; sleep 300 & echo $! >> ${file}; echo $$ >> ${file}; wait", { shell: "/bin/bash", cwd: "/", env, onOutput() {} });
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    const pids = await pidsIn(file, 3);
    assert.deepEqual(await Promise.all(pids.map(isRunning)), [true, true, true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    for (let tries = 0; tries < 100 && (await Promise.all(pids.map(isRunning))).includes(true); tries++) await wait(10);
    assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false, false]);
  });

  test("the output is reported while the command runs", async () => {
    await using bench = await toolBench();
    await bench.run(bash, { command: "echo one; sleep 0.3; echo two" });
    assert.deepEqual(bench.progress[0], { output: "one\n" });
  });

  test("long output is kept whole in a file", async () => {
    await using bench = await toolBench();
    const { output, metadata } = await bench.run(bash, { command: "seq 1 20000" });
    assert.match(output, /^\[Output truncated: 108894 bytes, 20000 lines; this is its end\. The whole output is in .*; read it in parts or search it\.\]\n/);
    assert.match(output, /\n20000\n$/);
    assert.equal((await readFile(String(metadata["file"]), "utf8")).length, 108_894);
  });

  test("a SHELL that is a bash is the one that runs commands", async () => {
    await using bench = await toolBench();
    const shim = join(bench.workspace, "bash");
    await writeFile(shim, '#!/bin/sh\necho shimmed\nexec /bin/bash "$@"\n', { mode: 0o755 });
    const context = { workspace: bench.workspace, outputDir: bench.outputDir, commandEnv: { PATH: "/usr/bin:/bin", SHELL: shim }, signal: bench.stop.signal, callId: "c", progress: () => {}, locate: async (path: string) => path };
    assert.equal((await bash.run({ command: "echo hi" }, context)).output, "shimmed\nhi\n");
  });
});
