import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { spawn } from "node:child_process";
import { isRunning, readPid } from "@beeuni/conformance";
import { BeeuniError } from "@beeuni/protocol";
import { ServerProcess, type ServerSpec } from "./process.ts";
import { WATCHDOG } from "./watchdog.ts";

/** A program that stands in for OpenCode: answers health checks with the version of its choice. */
const server = (version: string): string => `#!${process.execPath}
const { createServer } = require("node:http");
const { writeFileSync } = require("node:fs");
writeFileSync(__dirname + "/pid", String(process.pid));
const port = Number(process.argv[process.argv.indexOf("--port") + 1]);
createServer((request, response) => {
  if (request.headers.authorization === undefined) return response.writeHead(401).end();
  response.end(JSON.stringify({ healthy: true, version: ${JSON.stringify(version)}, args: process.argv.slice(2) }));
}).listen(port, "127.0.0.1");
`;

async function machine(program: string, patch: Partial<ServerSpec> = {}): Promise<{ folder: string; spec: ServerSpec; trouble: string[] } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "beeuni-server-"));
  const binary = join(folder, "program");
  await writeFile(binary, program);
  await chmod(binary, 0o755);
  await mkdir(join(folder, "groups"));
  const trouble: string[] = [];
  return {
    folder, trouble,
    spec: {
      binary, args: ["serve"], env: { PATH: "/usr/bin:/bin" }, workspace: folder, groups: join(folder, "groups"), password: "secret", version: "1.0.0", deadlineMs: 5_000, tries: 2,
      onTrouble: (message) => trouble.push(message), ...patch,
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function failure(spec: ServerSpec): Promise<BeeuniError> {
  return await ServerProcess.start(spec).then(
    async (running) => {
      await running.stop();
      throw new Error("it started");
    },
    (thrown: unknown) => {
      assert.ok(thrown instanceof BeeuniError);
      return thrown;
    },
  );
}

describe("starting", () => {
  test("it is ready when it answers with the pinned version, and gone after the stop", async () => {
    await using computer = await machine(server("1.0.0"));
    const running = await ServerProcess.start(computer.spec);
    assert.deepEqual(await running.api.get("/any"), { healthy: true, version: "1.0.0", args: ["serve", "--port", String(running.port)] });
    const pid = await readPid(join(computer.folder, "pid"), 1_000);
    assert.equal(await isRunning(pid), true);
    await running.stop();
    assert.deepEqual([await isRunning(pid), running.isRunning], [false, false]);
  });

  for (const [what, program, told] of [
    ["exits at once", "#!/bin/sh\necho 'no such table: session' >&2\nexit 3\n", /^OpenCode did not start \(tried 2 times\): it ended with exit code 3\n {2}no such table: session$/],
    ["exits after its first byte", "#!/bin/sh\nprintf o\nexit 0\n", /it ended with exit code 0\n {2}o$/],
    ["crashes", "#!/bin/sh\nkill -SEGV $$\n", /it was ended by signal 11/],
    ["is no program", "#!/nonexistent/interpreter\n", /it ended with exit code 12[67]/],
  ] as const) {
    test(`a binary that ${what} is tried again, then told with its own words`, async () => {
      await using computer = await machine(program);
      const error = await failure(computer.spec);
      assert.equal(error.code, "harness_start_failed");
      assert.match(error.message, told);
      assert.equal(computer.trouble.length, 1);
    });
  }

  test("one that never answers is given up at the deadline, and nothing of it is left", async () => {
    await using computer = await machine("#!/bin/sh\necho $$ > pid\nexec sleep 300\n", { deadlineMs: 200, tries: 1 });
    assert.match((await failure(computer.spec)).message, /^OpenCode did not start: it did not answer within 0\.2 s$/);
    assert.equal(await isRunning(await readPid(join(computer.folder, "pid"), 100)), false);
  });

  test("another version than the pinned one is refused at once", async () => {
    await using computer = await machine(server("2.0.0"));
    const error = await failure(computer.spec);
    assert.equal(error.message, "OpenCode did not start: it says that it is version 2.0.0, not 1.0.0");
    assert.equal(error.hint, "run `beeuni harness install opencode` to install the pinned version");
    assert.deepEqual(computer.trouble, []);
  });

  test("the password is in the environment and in no argument", async () => {
    await using computer = await machine("#!/bin/sh\nprintf '%s' \"$OPENCODE_SERVER_PASSWORD|$*\" > seen\nexit 1\n", { tries: 1 });
    await failure(computer.spec);
    assert.match(await readFile(join(computer.folder, "seen"), "utf8"), /^secret\|serve --port \d+$/);
  });
});

describe("the watchdog", () => {
  test("when we die, the program and the groups of its commands die too", async () => {
    await using computer = await machine("#!/bin/sh\necho $$ > pid\nexec sleep 300\n");
    const command = spawn("/bin/sleep", ["30"], { detached: true, stdio: "ignore" });
    await writeFile(join(computer.spec.groups, String(command.pid)), "call_1\n");
    const dog = spawn("/bin/sh", ["-c", WATCHDOG, "watchdog", computer.spec.groups, computer.spec.binary], { cwd: computer.folder, detached: true, stdio: ["pipe", "ignore", "ignore"] });
    const pid = await readPid(join(computer.folder, "pid"), 2_000);
    assert.deepEqual([await isRunning(pid), await isRunning(command.pid!)], [true, true]);
    // What a SIGKILL of ours does to the pipe.
    dog.stdin.destroy();
    await Promise.all([once(dog, "exit"), once(command, "exit", { signal: AbortSignal.timeout(3_000) })]);
    assert.deepEqual([await isRunning(pid), command.signalCode], [false, "SIGKILL"]);
  });

  test("control: without the pipe's end nothing happens", async () => {
    await using computer = await machine("#!/bin/sh\necho $$ > pid\nexec sleep 0.3\n");
    const dog = spawn("/bin/sh", ["-c", WATCHDOG, "watchdog", computer.spec.groups, computer.spec.binary], { cwd: computer.folder, detached: true, stdio: ["pipe", "ignore", "ignore"] });
    assert.deepEqual(await once(dog, "exit"), [0, null]);
    dog.stdin.destroy();
  });
});
