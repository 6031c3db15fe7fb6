import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { firstMissing, readTranscripts } from "./transcripts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].sort();

// One shell per page, with an empty home, in a copy of the example project (the README's in this checkout, as it says): what
// a reader does from top to bottom.
for (const page of pages) {
  const steps = readTranscripts(readFileSync(join(root, page), "utf8"));
  if (steps.length === 0) continue;
  test(`${page}: every command prints what the page shows`, async () => {
    const work = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-docs-")));
    try {
      const project = join(work, "release-notes");
      cpSync(join(root, "examples/release-notes"), project, { recursive: true });
      const shell = openShell(page === "README.md" ? root : project, work);
      try {
        for (const step of steps) {
          const output = await shell.run(step.command);
          const missing = firstMissing(step.expected, output);
          assert.equal(missing, undefined, `${page}:${step.line}: $ ${step.command}\nprinted:\n${output}\nmissing: ${missing}`);
        }
      } finally {
        await shell.close();
      }
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

function openShell(cwd: string, home: string) {
  const env = {
    PATH: `${root}:${process.env["PATH"]}`,
    HOME: home,
    BEEUNI_HOME: join(home, ".beeuni"),
    BEEUNI_TOOLCHAINS: process.env["BEEUNI_TOOLCHAINS"] ?? join(homedir(), ".beeuni/harnesses"),
    NO_COLOR: "1",
    COLUMNS: "140",
    TMPDIR: home,
  };
  // Its own process group, so that a server started in the background by a page ends with the page.
  const child = spawn("bash", ["--noprofile", "--norc"], { cwd, env, detached: true, stdio: ["pipe", "pipe", "ignore"] });
  child.stdout.setEncoding("utf8");
  let buffer = "";
  let wake = () => {};
  child.stdout.on("data", (chunk: string) => {
    buffer += chunk;
    wake();
  });
  return {
    async run(command: string): Promise<string> {
      const mark = `__end_${Math.random().toString(36).slice(2)}__`;
      buffer = "";
      child.stdin.write(`{ ${command.replaceAll("./beeuni", "beeuni")}\n} 2>&1 </dev/null\necho\necho ${mark}\n`);
      while (!buffer.includes(`${mark}\n`)) await new Promise<void>((resolve) => (wake = resolve));
      return buffer.slice(0, buffer.indexOf(mark));
    },
    async close(): Promise<void> {
      const gone = new Promise((resolve) => child.once("close", resolve));
      process.kill(-child.pid!, "SIGTERM");
      await gone;
    },
  };
}
