import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { HarnessDecision } from "@beeuni/protocol";
import { CliPlace, ENTRY, finished, shows } from "./testing/cli.ts";

const place = new CliPlace();
after(() => place.remove());

const project = (name: string, manifest: string, files: { [path: string]: string } = {}): string => {
  const folder = join(place.work, name);
  for (const [path, text] of Object.entries({ "beeuni.yaml": manifest, "agents/a.md": "Be brief.\n", ...files })) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};
const plain = "beeuni_version: 2\ndefault_agent: a\nagents:\n  a: {}\n";

describe("the command", () => {
  test("--version, exit codes and completion print and end well", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
    assert.deepEqual(await place.run(["--version"]), { code: 0, stdout: `${version}\n`, stderr: "" });
    const { stdout, code } = await place.run(["help", "exit-codes"]);
    assert.deepEqual([code, stdout.split("\n")[2]], [0, "  2  usage: unknown command, flag or missing argument"]);
    for (const shell of ["bash", "zsh", "fish"]) assert.match((await place.run(["completion", shell])).stdout, /beeuni/);
  });

  test("an unknown command is a usage error with near names, in text and in JSON", async () => {
    assert.deepEqual(await place.run(["sesion", "ls"]), { code: 2, stdout: "", stderr: 'error: unknown command "sesion"\nhint: did you mean beeuni session?\n' });
    assert.deepEqual(await place.run(["session", "show", "ses_nowhere", "--json"]), {
      code: 4, stdout: "", stderr: '{"code":"session_not_found","error":"there is no session \\"ses_nowhere\\"","hint":"`beeuni session ls` lists the sessions"}\n',
    });
  });

  test("no fault shows a stack trace, unless BEEUNI_DEBUG asks for it", async () => {
    const words = ["session", "show", "ses_nowhere"];
    assert.doesNotMatch((await place.run(words)).stderr, /\n\s+at /);
    assert.match((await place.run(words, { env: { BEEUNI_DEBUG: "1" } })).stderr, /BeeuniError: .*\n\s+at /);
  });

  test("a reader that leaves ends the command quietly", async () => {
    const child = place.start(["completion", "bash"]);
    child.stdout.destroy();
    const { stderr } = await finished(child);
    assert.equal(stderr, "");
  });

  // The device that is always full is Linux's.
  if (existsSync("/dev/full")) test("output that can't be written is an error, not silence", () => {
    const full = openSync("/dev/full", "w");
    const lost = (...words: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [ENTRY, ...words], { cwd: place.work, env: { BEEUNI_HOME: place.home }, stdio: ["ignore", full, "pipe"], encoding: "utf8" });
      return { status, stderr };
    };
    assert.deepEqual(lost("flag", "ls"), {
      status: 1, stderr: "error: the output could not be written: there is no space left\nhint: send it elsewhere; what a session said is kept: beeuni session messages\n",
    });
    assert.equal(lost("--version").status, 1);
    closeSync(full);
  });

  test("a prompt that is not UTF-8 is refused with the place", async () => {
    assert.deepEqual(await place.run(["run", "--model", "faux/demo"], { stdin: Buffer.from("ab\xff", "latin1") }), {
      code: 1, stdout: "", stderr: "error: stdin is not UTF-8: byte 2 does not fit\nhint: convert it first, e.g. with: iconv -f LATIN1 -t UTF-8\n",
    });
  });

  test("a home that can't be written is one clear message", async () => {
    writeFileSync(join(place.root, "file"), "");
    const { code, stderr } = await place.run(["run", "--model", "faux/demo", "hi"], { env: { BEEUNI_HOME: join(place.root, "file") } });
    assert.deepEqual([code, stderr], [1, `error: ${place.root}/file can't be written: it is not a folder\nhint: make it writable, or name another folder with BEEUNI_HOME\n`]);
  });
});

describe("what a run is refused for", () => {
  const refusal = async (words: string[], env: { [name: string]: string } = {}) => {
    const { code, stdout, stderr } = await place.run(["run", ...words, "hi"], { env });
    assert.equal(stdout, "");
    return [code, stderr.replace(/^beeuni: no isolation.*\n/, "")];
  };

  test("an unknown harness, model and agent, with near names", async () => {
    assert.deepEqual(await refusal(["--model", "faux/demo", "--harness", "py"]), [4, 'error: there is no harness "py"\nhint: did you mean pi?\n']);
    assert.deepEqual(await refusal(["--model", "faux/dmo"]), [4, 'error: unknown model "faux/dmo": Faux (scripted, no model) has no such model\nhint: did you mean faux/demo?\n']);
    assert.deepEqual(await refusal(["--model", "faux/demo", "--agent", "bild"]), [4, `error: there is no agent "bild" in ${place.work}\nhint: did you mean build?\n`]);
    assert.deepEqual(await refusal(["--model", "demo"]), [2, 'error: "demo" is no model\nhint: --model takes provider/model, for example faux/demo\n']);
  });

  test("[H-004] an unknown id in BEEUNI_HARNESS fails the start and is named", async () => {
    const [code, stderr] = await refusal(["--model", "faux/demo"], { BEEUNI_HARNESS: "foo" });
    assert.equal(code, 4);
    assert.match(stderr as string, /there is no harness "foo"/);
  });

  test("[H-005] a project with the required keys only gets the standard harness; without an adapter that is an error, not another harness", async () => {
    const { code, stderr } = await place.run(["run", "--model", "faux/demo", "hi"], { cwd: project("standard", plain) });
    assert.equal(code, 1);
    assert.match(stderr, /the harness of this session would be opencode .* no adapter for opencode\nhint: .*`runtime: pi`.*`--harness pi`/);
  });

  test("[M-014] an agent that the manifest disables or does not declare", async () => {
    const cwd = project("disabled", "beeuni_version: 2\ndefault_agent: a\nruntime: pi\nagents:\n  a: {}\n  b: { enabled: false }\n", { "agents/b.md": "b\n", "agents/c.md": "c\n" });
    const start = (agent: string) => place.run(["run", "--model", "faux/demo", "--agent", agent, "hi"], { cwd });
    const [b, c] = [await start("b"), await start("c")];
    assert.deepEqual([b.code, c.code], [5, 4]);
    assert.match(b.stderr, /agent "b" is disabled/);
    assert.match(c.stderr, /agent "c" is not declared/);
  });
});

describe("harness selection", () => {
  test("[H-019] [H-027] the flag of the project decides, and of this project only", async () => {
    const [one, other] = [project("one", plain), project("other", plain)];
    assert.equal((await place.run(["flag", "set", "pi_harness", "on"], { cwd: one })).code, 0);
    const decision = await place.json<HarnessDecision>(["harness", "explain"], { cwd: one });
    assert.deepEqual([decision.harness, decision.rule], ["pi", 2]);
    const second = await place.run(["harness", "explain", "--json"], { cwd: other });
    const { harness, rule } = JSON.parse(second.stdout) as HarnessDecision;
    assert.deepEqual([harness, rule, second.code], ["opencode", 4, 1]);
  });

  test("explain shows every agent's rules with who enforces them", async () => {
    const cwd = project("rules", `${plain}runtime: pi\n`, { "agents/a.md": "---\npermission:\n  bash:\n    'rm *': deny\n---\nBe brief.\n" });
    const { code, stdout } = await place.run(["harness", "explain"], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /\n\nagent {2}rule {2}pattern {2}action {2}by\na {6}bash {2}rm \* {5}deny {4}host\n$/);
  });

  test("[H-025] a runtime that is none is named by validate, with the ones that are", async () => {
    const { code, stderr } = await place.run(["validate"], { cwd: project("runtime", `${plain}runtime: foo\n`) });
    assert.equal(code, 1);
    assert.match(stderr, /beeuni\.yaml:5:\d+ runtime: runtime must be one of: opencode, pi \(got /);
  });

  test("harness ls and show say the same in JSON", async () => {
    const rows = await place.json<{ id: string; platform: string; toolchain: string }[]>(["harness", "ls"]);
    assert.deepEqual(rows.map(({ id, platform }) => [id, platform]), [["opencode", "standard"], ["pi", "experimental"]]);
    const details = await place.json<{ id: string; capabilities: { id: string; offered: boolean }[] }>(["harness", "show", "pi"]);
    assert.deepEqual([details.id, details.capabilities.length], ["pi", 10]);
    assert.equal((await place.run(["harness", "show", "pie"])).code, 4);
  });
});

describe("serve without a turn", () => {
  test("announces itself, refuses a second one, and leaves nothing behind", async () => {
    const server = place.start(["serve", "--model", "faux/demo"]);
    const end = finished(server);
    await shows(server.stdout, "model");
    const second = await place.run(["serve"]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /error: .* is already served at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\nhint: /);
    server.kill("SIGTERM");
    const { code, stdout } = await end;
    assert.equal(code, 0);
    const tokenFile = /token {2}in (.*)/.exec(stdout)![1]!;
    assert.throws(() => readFileSync(tokenFile), { code: "ENOENT" });
    const third = place.start(["serve", "--json"]);
    await shows(third.stdout, "tokenFile");
    third.kill("SIGINT");
    assert.equal((await finished(third)).code, 0);
  });

  test("what needs a server says so", async () => {
    const { code, stderr } = await place.run(["permission", "reply", "per_1", "once"]);
    assert.deepEqual([code, stderr], [1, `error: no beeuni serve runs on ${place.work}\nhint: only a running server can do this: beeuni serve; another project's: --dir FOLDER\n`]);
  });
});

test("validate names a rule for what is nearly a tool, and stays valid", async () => {
  const cwd = project("slip", `${plain}runtime: pi\n`, { "agents/a.md": "---\npermission:\n  bsh: deny\n  task: deny\n---\nBe brief.\n" });
  assert.deepEqual(await place.run(["validate"], { cwd }), {
    code: 0, stderr: "", stdout: 'beeuni.yaml is valid\n1 warning(s):\n  agents/a.md agents.a.permission: no tool is called "bsh", so it decides nothing; did you mean bash?\n',
  });
});

test("doctor answers for every part of the machine and the project", async () => {
  const checks = await place.json<{ id: string; status: string }[]>(["doctor"]);
  const ids = new Set(checks.map(({ id }) => id));
  for (const id of ["node", "git", "home", "disk", "harness pi", "sessions", "project", "harness", "server", "isolation"]) assert.ok(ids.has(id), id);
});

test("doctor finds what validate finds, a tool that does not load among it", async () => {
  const cwd = project("broken-tool", `${plain}runtime: pi\ntools:\n  price: tools/price.ts\n`, { "tools/price.ts": "export default {\n" });
  const { code, stdout } = await place.run(["doctor"], { cwd });
  assert.equal(code, 1);
  assert.match(stdout, /✗ project +tools\/price\.ts:2:1 tools\.price: ParseError: Unexpected token\n +fix: correct tools\/price\.ts in line 2\n/);
});
