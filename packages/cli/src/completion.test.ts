import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { COMMANDS } from "./command-table.ts";
import { completionScript } from "./completion.ts";

const home = mkdtempSync(join(tmpdir(), "beeuni-completion-"));
after(() => rmSync(home, { recursive: true }));
const session = "ses_0199f3a1b2c3AAAAAAAAAAAAAA";
mkdirSync(join(home, "sessions", session), { recursive: true });

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const script = `${completionScript("bash")}\nCOMP_WORDS=(beeuni "$@")\nCOMP_CWORD=$#\n_beeuni\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-c", script, "bash", ...words], { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "", BEEUNI_HOME: home }, cwd: home });
  assert.equal(stderr, "");
  return stdout.trim() === "" ? [] : stdout.trim().split("\n");
}

test("bash offers commands, verbs, options, session ids, folders and fixed values", () => {
  assert.deepEqual(offered("se"), ["serve", "session"]);
  assert.deepEqual(offered("session", ""), ["ls", "show", "messages", "abort", "rm"]);
  assert.deepEqual(offered("session", "m"), ["messages"]);
  assert.deepEqual(offered("run", "--mo"), ["--model"]);
  assert.deepEqual(offered("run", "-r", "ses_"), [session]);
  assert.deepEqual(offered("session", "show", "ses_"), [session]);
  assert.deepEqual(offered("run", "--dir", ""), ["sessions"]);
  assert.deepEqual(offered("permission", "reply", "per_1", ""), ["once", "always", "reject"]);
  assert.deepEqual(offered("flag", "set", "llm_gateway", "o"), ["on", "off"]);
  assert.deepEqual(offered("run", "--title", "x"), []);
});

test("the scripts of all shells know every command and every option", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = completionScript(shell);
    for (const spec of COMMANDS) {
      for (const word of spec.path) assert.ok(script.includes(word), `${shell}: ${word}`);
      for (const option of spec.options) {
        const long = /--([\w-]+)/.exec(option.flags)![1]!;
        assert.ok(script.includes(shell === "fish" ? `-l ${long}` : `--${long}`), `${shell}: ${long}`);
      }
    }
  }
});
