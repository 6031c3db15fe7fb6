import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Call } from "@beeuni/protocol";
import { beeuni, beeuniJson, Cli, type CliOptions } from "./support/cli.ts";
import { canMount, withFileSystem } from "./support/mounts.ts";
import { assertLines } from "./support/output-lines.ts";
import { Place, projectFiles } from "./support/place.ts";

/** A command that is refused: what it is, what it prints on stderr (line by line), and how it ends. */
interface Refusal {
  name: string;
  words: string[];
  options?: CliOptions;
  code: number;
  /** `…` stands for what differs from run to run. */
  stderr: string[];
  /** Default: the place without a project file. */
  at?: Place;
}

const RUN = ["run", "--model", "faux/demo"];
const CONVERT = "hint: convert it first, e.g. with: iconv -f LATIN1 -t UTF-8";

describe("commands that are refused: one clear message, a hint, the right exit code, nothing written", { concurrency: 2 }, () => {
  const place = new Place();
  const project = new Place(projectFiles({
    plain: "You are plain.",
    wrong: "---\npermission: {bash: nope}\ntemperature: hot\nsteps: -1\n---\nBody",
    yaml: "---\ndescription: [unclosed\n---\nBody",
    open: "---\ndescription: x\nBody",
    list: "---\n- a\n- b\n---\nBody",
  }));
  const isolation = (at: Place): string => `beeuni: no isolation: the agent's commands run with your rights (user …) in ${at.project}`;
  const taken = createServer();
  let session = "";

  before(async () => {
    session = (await beeuniJson<{ session: { id: string } }>(place, [...RUN, "[[text: hi]]"])).session.id;
    await once(taken.listen(0, "127.0.0.1"), "listening");
  });
  after(() => {
    taken.close();
    place[Symbol.dispose]();
    project[Symbol.dispose]();
  });

  const file = join(place.root, "file");
  const mounted = join(place.root, "mounted");
  const refusals = (): Refusal[] => [
    { name: "an unknown harness", words: [...RUN, "--harness", "p1", "hi"], code: 4, stderr: [isolation(place), 'error: there is no harness "p1"', "hint: did you mean pi?"] },
    { name: "an unknown model", words: ["run", "--model", "faux/dmo", "hi"], code: 4, stderr: [isolation(place), 'error: unknown model "faux/dmo": Faux (scripted, no model) has no such model', "hint: did you mean faux/demo?"] },
    { name: "a model that is none", words: ["run", "--model", "demo", "hi"], code: 2, stderr: ['error: "demo" is no model', "hint: --model takes provider/model, for example faux/demo"] },
    { name: "no model at all", words: ["run", "hi"], code: 1, stderr: [
      isolation(place), "error: no model is chosen: no key is configured, and no model server answers on this machine", "hint: each of these works:",
      '  beeuni run --model faux/demo "hi"   (a scripted model: no key, no network)', '  ANTHROPIC_API_KEY=… beeuni run "hi"', '  OPENAI_API_KEY=… beeuni run "hi"',
      '  ollama serve & beeuni run "hi"   (or LM Studio, llama.cpp, vLLM on this machine)',
    ] },
    { name: "an unknown agent", words: [...RUN, "--agent", "plane", "hi"], at: project, code: 4, stderr: [isolation(project), `error: there is no agent "plane" in ${project.project}`, "hint: did you mean plain?"] },
    { name: "an unknown session", words: ["run", "-r", `${session.slice(0, 20)}x`, "hi"], code: 4, stderr: [`error: there is no session "${session.slice(0, 20)}x"`, `hint: did you mean ${session}?`] },
    { name: "an unknown session, far from all", words: ["session", "show", "ses_zzzzzzzz"], code: 4, stderr: ['error: there is no session "ses_zzzzzzzz"', "hint: `beeuni session ls` lists the sessions"] },
    { name: "an unknown call", words: ["call", "show", "cal_000000000000"], code: 4, stderr: ["error: no call cal_000000000000 is in any session", "hint: `beeuni call ls` lists the calls of a session"] },
    { name: "a folder that is not there", words: [...RUN, "--dir", "/nowhere", "hi"], code: 4, stderr: ["error: /nowhere can't be used as the project's folder: it does not exist", "hint: --dir takes the path of an existing folder that you may read"] },
    {
      name: "a harness that is not installed, and no network", words: [...RUN, "hi"], code: 1,
      options: { env: { BEEUNI_TOOLCHAINS: join(place.root, "none"), npm_config_registry: "http://127.0.0.1:9/" } },
      stderr: [
        isolation(place), "beeuni: installing pi 1.6.0: …", "error: installing pi 1.6.0 failed: the package registry can't be reached (ECONNREFUSED)", "  npm ended with exit code 1",
        "  npm error code ECONNREFUSED", "  npm error …", "  npm error …",
        `hint: with a network, run \`beeuni harness install pi\`; behind a proxy set HTTPS_PROXY first; or copy ${place.root}/none/pi@1.6.0 from a machine that has it`,
      ],
    },
    {
      name: "a current folder that was removed", words: ["run", "--model", "faux/demo", "hi"], options: { through: ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh"] },
      code: 4, stderr: ["error: the current folder was removed", "hint: go to one that exists, e.g.: cd ~"],
    },
    { name: "a port that is taken", words: ["serve", "--model", "faux/demo", "--port", String((taken.address() as AddressInfo).port)], code: 1, stderr: [
      isolation(place), `error: the daemon can't listen on 127.0.0.1:${(taken.address() as AddressInfo).port}: the port is taken`, "hint: choose another port with --port, or leave it out for a free one",
    ] },
    { name: "a home that is a file", words: [...RUN, "hi"], options: { env: { BEEUNI_HOME: file } }, code: 1, stderr: [`error: ${file} can't be written: it is not a folder`, "hint: make it writable, or name another folder with BEEUNI_HOME"] },
    { name: "a home under a file", words: [...RUN, "hi"], options: { env: { BEEUNI_HOME: `${file}/home` } }, code: 1, stderr: [`error: ${file}/home can't be written: it is not a folder`, "hint: make it writable, or name another folder with BEEUNI_HOME"] },
    { name: "stdin that is not UTF-8", words: RUN, options: { stdin: Buffer.from("caf\xe9 au lait", "latin1") }, code: 1, stderr: ["error: stdin is not UTF-8: byte 4 does not fit", CONVERT] },
    { name: "stdin that is UTF-16", words: RUN, options: { stdin: Buffer.from("\ufeffhi", "utf16le") }, code: 1, stderr: ["error: stdin is not UTF-8: byte 0 does not fit", "hint: it looks like UTF-16; convert it with: iconv -f UTF-16 -t UTF-8"] },
    { name: "an empty stdin", words: RUN, options: { stdin: "" }, code: 2, stderr: ["error: stdin is empty", 'hint: beeuni run "what to do", or -f FILE, or pipe it in'] },
    { name: "an agent's file with three mistakes, all told", words: [...RUN, "--agent", "wrong", "hi"], at: project, code: 1, stderr: [
      isolation(project), "error: 3 problems:", "  agents/wrong.md:3:1 temperature: must be a number.", "  agents/wrong.md:4:1 steps: must be a positive integer.",
      '  agents/wrong.md:2:14 permission.bash: must be one of: ask, allow, deny (got "nope").', "hint: correct the file and start again",
    ] },
    { name: "front matter that is no YAML", words: [...RUN, "--agent", "yaml", "hi"], at: project, code: 1, stderr: [
      isolation(project), "error: agents/yaml.md:2:23 <front matter>: the front matter is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]", "hint: correct the file and start again",
    ] },
    { name: "front matter that is not closed", words: [...RUN, "--agent", "open", "hi"], at: project, code: 1, stderr: [
      isolation(project), "error: agents/open.md:1:1 <front matter>: the front matter is not closed: a line `---` is missing after its keys", "hint: correct the file and start again",
    ] },
    { name: "front matter that is a list", words: [...RUN, "--agent", "list", "hi"], at: project, code: 1, stderr: [
      isolation(project), "error: agents/list.md:2:1 <front matter>: the front matter must be a map of keys (got a list)", "hint: correct the file and start again",
    ] },
  ];

  /** Only where a test may mount. */
  const onMounts = (): Refusal[] => [
    { name: "a home on a read-only file system", words: [...RUN, "hi"], options: { env: { BEEUNI_HOME: mounted }, through: withFileSystem(mounted, "ro") }, code: 1, stderr: [`error: ${mounted} can't be written: the file system is read-only`, "hint: make it writable, or name another folder with BEEUNI_HOME"] },
    { name: "a disk without room for a session", words: [...RUN, "hi"], options: { env: { BEEUNI_HOME: mounted }, through: withFileSystem(mounted, 4) }, code: 1, stderr: [isolation(place), `error: ${mounted}/…: no space is left on the device (ENOSPC)`, "hint: free some space, then open the session again: what was acknowledged is kept"] },
  ];

  test("each of them", async (t) => {
    if (!canMount()) t.diagnostic("nothing may be mounted on this machine: a read-only and a full disk are not tried");
    writeFileSync(file, "not a folder");
    const before = readFileSync(join(place.session(session), "log.jsonl"));
    await Promise.all(pairwise([...refusals(), ...(canMount() ? onMounts() : [])], async ({ name, words, options, code, stderr, at = place }) => {
      await t.test(name, async () => {
        const result = await beeuni(at, words, options);
        assertLines(result.stderr, stderr);
        assert.deepEqual([result.code, result.stdout], [code, ""]);
      });
    }));
    assert.deepEqual(await beeuniJson<{ id: string }[]>(place, ["session", "ls", "--all"]).then((entries) => entries.map(({ id }) => id)), [session], "no session was begun");
    assert.deepEqual(readFileSync(join(place.session(session), "log.jsonl")), before);
  });

  test("front matter as people write it for other programs is read, and what was meant is told", async () => {
    using own = new Place(projectFiles({ a: "---\ndescription: Reviews: finds what: others missed\ntools: Read, Bash(git:*)\n---\nYou are MARK." }));
    const { code, stdout, stderr } = await beeuni(own, [...RUN, "-q", "[[text: read]]"]);
    assertLines(stderr, [
      isolation(own), "beeuni: warning: agents/a.md:2:1 <front matter>: line 2 has a second `: ` in the unquoted value of `description`: read whole; put the value in quotes",
      "beeuni: warning: agents/a.md:3:1 tools: `tools` is deprecated upstream — use `permission` instead. Until then it limits the agent's tools.",
      "beeuni: warning: agents/a.md:3:1 tools: the limits in parentheses are not read (Bash(git:*)): write them as `permission` rules.",
    ]);
    assert.deepEqual([code, stdout], [0, "read\n"]);
  });

  test("a session whose folder is gone: what is gone, and that the conversation is not", async () => {
    using own = new Place();
    const { id } = (await beeuniJson<{ session: { id: string } }>(own, [...RUN, "[[text: one]]"])).session;
    rmSync(own.project, { recursive: true });
    const { code, stdout, stderr } = await beeuni(own, ["run", "-r", id, "hi"], { cwd: own.root });
    assert.deepEqual([code, stdout, stderr.split("\n")], [4, "", [
      `error: ${own.project} can't be used as the project's folder: it does not exist`,
      "hint: a session keeps its folder: bring it back, or start a new session elsewhere; what was said: beeuni session messages", "",
    ]]);
    assert.match((await beeuni(own, ["session", "messages", id], { cwd: own.root })).stdout, /^one$/m);
  });

  test("a damaged log: named with its line, nothing changed, and the way to keep what stands before it; other sessions are as they were", async () => {
    using own = new Place();
    const first = (await beeuniJson<{ session: { id: string } }>(own, [...RUN, "[[text: one]]"])).session.id;
    const second = (await beeuniJson<{ session: { id: string } }>(own, [...RUN, "[[text: two]]"])).session.id;
    const log = join(own.session(second), "log.jsonl");
    copyFileSync(log, `${log}.whole`);
    const lines = readFileSync(log, "utf8").split("\n");
    const offset = Buffer.byteLength(lines.slice(0, 4).join("\n")) + 1;
    lines[4] = lines[4]!.slice(0, 20);
    writeFileSync(log, lines.join("\n"));
    rmSync(join(own.session(second), "snapshot.json"), { force: true });
    const damaged = readFileSync(log);
    for (const words of [["session", "messages", second], ["run", "-r", second, "[[text: on]]"]]) {
      const { code, stdout, stderr } = await beeuni(own, words);
      assert.deepEqual([code, stdout, stderr.split("\n")], [1, "", [
        `error: ${log}:5: the line is not JSON (byte ${offset}); nothing was changed`,
        `hint: restore the file from a copy; or keep what stands before that line: cp ${log} ${log}.bad && truncate -s ${offset} ${log}`, "",
      ]]);
    }
    assert.deepEqual(readFileSync(log), damaged);
    const part = (await beeuniJson<{ parts: { id: string }[] }[]>(own, ["session", "messages", first]))[1]!.parts[0]!.id;
    assert.equal((await beeuni(own, ["call", "show", part])).code, 0, "a damaged session hides nothing of another");
    // The hint works as it is printed.
    const { code } = await new Cli(own, ["session", "messages", second], { through: ["bash", "-c", `cp ${log} ${log}.bad && truncate -s ${offset} ${log} && exec "$@"`, "bash"] }).done;
    assert.equal(code, 0);
    copyFileSync(`${log}.whole`, log);
    assert.match((await beeuni(own, ["session", "messages", second])).stdout, /two/);
  });

  test("a damaged trace: told with its place, the calls before and after it are there, and a lost one is said to be unknown", async () => {
    using own = new Place();
    const { id } = (await beeuniJson<{ session: { id: string } }>(own, [...RUN, "[[shell: echo one]] [[text: two]]"])).session;
    const segment = join(own.home, "traces", id, "0001.seg");
    const bytes = readFileSync(segment);
    bytes.fill(0xff, bytes.length - 2000, bytes.length - 1900);
    writeFileSync(segment, bytes);
    assert.equal((await beeuni(own, ["run", "-q", "-r", id, "[[text: three]]"])).stdout, "three\n");
    const { code, stdout, stderr } = await beeuni(own, ["call", "ls", id, "--json"]);
    assertLines(stderr, [`beeuni: warning: ${segment}: damaged at byte …: …; calls may be missing`]);
    const calls = JSON.parse(stdout) as Call[];
    assert.deepEqual([code, calls.map(({ number, end, links }) => `${number} ${end} ${links.length}`)], [0, ["0 complete 1", "1 cut 0", "2 complete 1"]]);
    const lost = (await beeuniJson<{ info: { id: string } }[]>(own, ["session", "messages", id]))[2]!.info.id;
    const shown = await beeuni(own, ["call", "show", lost]);
    assert.equal(shown.code, 4);
    assertLines(shown.stderr, [`error: the call of ${lost} is unknown: …`]);
  });

  test("a torn last line: cut off on opening, told once, and the session goes on", async () => {
    using own = new Place();
    const { id } = (await beeuniJson<{ session: { id: string } }>(own, [...RUN, "[[text: one]]"])).session;
    appendFileSync(join(own.session(id), "log.jsonl"), '{"seq":99,"at":1');
    assert.match((await beeuni(own, ["session", "messages", id])).stdout, /one/, "a reader reads what is whole");
    const { code, stdout, stderr } = await beeuni(own, ["run", "-q", "-r", id, "[[text: two]]"]);
    assert.deepEqual([code, stdout], [0, "two\n"]);
    assertLines(stderr, [isolation(own), "beeuni: warning: The session's process had ended without closing it: 16 bytes of an unfinished line were cut off the log. Nothing was repeated."]);
    assertLines((await beeuni(own, ["run", "-q", "-r", id, "[[text: three]]"])).stderr, [isolation(own)]);
  });

  test("a session that is open elsewhere: who has it, and nothing of it is touched", async () => {
    using own = new Place();
    await using holder = new Cli(own, [...RUN, "--jsonl", "[[say: begun]] [[hang]]"]);
    await holder.until(({ stdout }) => stdout.includes("turn.started"));
    const { session: id } = JSON.parse(holder.stdout.split("\n")[0]!) as { session: string };
    const { pid } = holder.process;
    const locked = [`error: session ${id} is open in process ${pid} since …`, `hint: use it there (beeuni session ls), or end process ${pid} first`];
    for (const [words, expected] of [
      [["run", "-r", id, "hi"], [isolation(own), ...locked]],
      [["session", "rm", id], locked],
      [["session", "abort", id], [`error: ${id} is open in process ${pid}, which is no server`, `hint: stop it there with Ctrl-C, or: kill -INT ${pid}`]],
    ] as const) {
      const { code, stderr } = await beeuni(own, words);
      assertLines(stderr, expected);
      assert.equal(code, 1);
    }
    holder.kill("SIGINT");
    assert.equal((await holder.done).code, 130);
    assert.equal((await beeuni(own, ["run", "-q", "-r", id, "[[text: on]]"])).stdout, "on\n");
  });

  test("a project that is served already: by whom, and where", async () => {
    using own = new Place();
    await using server = new Cli(own, ["serve", "--model", "faux/demo", "--json"]);
    await server.until(({ stdout }) => stdout.endsWith("\n"));
    const { url, pid } = JSON.parse(server.stdout) as { url: string; pid: number };
    const { code, stderr } = await beeuni(own, ["serve", "--model", "faux/demo"]);
    assert.deepEqual([code, stderr], [1, `error: ${own.project} is already served at ${url} (process ${pid})\nhint: use that one, or stop it first: kill ${pid}\n`]);
  });
});

/** Two at a time. */
function pairwise<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void>[] {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
  };
  return [worker(), worker()];
}
