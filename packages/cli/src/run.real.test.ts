import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Call, SessionEntry } from "@beeuni/protocol";
import type { LogEvent, SessionState } from "@beeuni/transcript";
import { RunResult } from "./run/result.ts";
import { matchesGolden } from "./testing/capture.ts";
import { CliPlace, finished, shows } from "./testing/cli.ts";

const place = new CliPlace();
after(() => place.remove());
const faux = ["run", "--model", "faux/demo"];

/** What differs from run to run, made equal. */
const steady = (text: string): string =>
  text.replaceAll(place.root, "ROOT").replace(/\b(ses|trn|msg|prt|cal)_[0-9A-Za-z]{26}/g, "$1_…").replace(/in [\d,]+ · out \d+/, "in N · out N").replace(/[\d.]+m?s$/gm, "T");

const newest = async (): Promise<SessionEntry> => (await place.json<SessionEntry[]>(["session", "ls"]))[0]!;
const stateOf = (id: string): Promise<SessionState> => place.json<SessionState>(["session", "show", id]);
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never came");
}
/** Whether a process with this id is there. */
const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe("run", () => {
  test("[H-003] [H-033] the first command: text, the tool with its subject and output, usage and the way back", async () => {
    writeFileSync(join(place.work, "a.txt"), "");
    const { code, stdout, stderr } = await place.run([...faux, "What is in this folder?"]);
    assert.equal(code, 0);
    matchesGolden("run.txt", steady(stdout));
    assert.match(steady(stderr).split("\n")[0]!, /^beeuni: no isolation: the agent's commands run with your rights \(user .*\) in ROOT\/work$/);
  });

  test("the prompt from stdin, only the answer on stdout, and the answer in a file", async () => {
    const { code, stdout } = await place.run([...faux, "-q", "-o", "answer.md"], { stdin: "[[shell: echo noise]] [[text: just this]]" });
    assert.deepEqual([code, stdout, readFileSync(join(place.work, "answer.md"), "utf8")], [0, "just this\n", "just this\n"]);
  });

  test("--json is one value, and -r with the beginning of its id goes on with the conversation", async () => {
    const first = RunResult.parse(await place.json([...faux, "--title", "two turns", "Remember the word heron. [[text: noted]]"]));
    assert.deepEqual([first.answer, first.turn.outcome, first.session.title, first.resume], ["noted", "completed", "two turns", `beeuni run -r ${first.session.id}`]);
    const second = RunResult.parse(await place.json(["run", "-r", first.session.id.slice(0, 18), "[[text: heron]]"]));
    assert.deepEqual([second.session.id, second.answer], [first.session.id, "heron"]);
    const calls = await place.json<Call[]>(["call", "ls", first.session.id]);
    assert.equal(calls.length, 2);
    const request = await place.run(["call", "show", calls[1]!.id, "--request", "--raw"]);
    assert.match(request.stdout, /Remember the word heron/);
  });

  test("--jsonl is the session's events from its creation to the end of the turn, in order and once", async () => {
    const { stdout } = await place.run([...faux, "--jsonl", "[[shell: echo hi]] [[text: a streamed answer of some words]]"]);
    const events = stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as LogEvent);
    const durable = events.filter((event) => "seq" in event);
    assert.deepEqual([durable[0]!.type, durable.at(-1)!.type], ["session.created", "turn.ended"]);
    assert.deepEqual(durable.map(({ seq }) => seq), durable.map((_, index) => index + 1));
    assert.ok(events.some(({ type }) => (type as string) === "part.delta"));
  });

  test("the agent's commands get no key, no token and nothing of beeuni's", async () => {
    const { stdout } = await place.run([...faux, "--jsonl", "[[shell: env | cut -d= -f1 | sort | tr '\\n' ' ']]"], { env: { OPENAI_API_KEY: "sk-secret", BEEUNI_FOO: "x", LC_ALL: "C" } });
    const output = /"status":"completed".*?"output":"([^"]*)"/.exec(stdout)![1]!;
    const names = output.split(" ").filter((name) => !["_", "SHLVL", "PWD", "OLDPWD", ""].includes(name));
    assert.deepEqual(names.filter((name) => !["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TERM"].includes(name)), []);
    assert.ok(names.includes("LC_ALL"), output);
  });

  test("a prompt of 20 MB arrives whole", async () => {
    writeFileSync(join(place.work, "big.txt"), `[[text: read]] ${"lorem ipsum ".repeat(1_750_000)}`);
    const { code, stdout } = await place.run([...faux, "-q", "-f", "big.txt"]);
    assert.deepEqual([code, stdout], [0, "read\n"]);
    const [call] = await place.json<Call[]>(["call", "ls"]);
    assert.ok(call!.request.bytes > 20_000_000);
  });
});

describe("from an answer to its bytes", () => {
  test("a part's id leads to the request that produced it, byte for byte; diff says what was added", async () => {
    const { session } = RunResult.parse(await place.json([...faux, "[[shell: echo first]] [[text: last words]]"]));
    const { messages } = await stateOf(session.id);
    const part = messages.at(-1)!.parts.find(({ type }) => type === "text")!;
    const call = await place.json<Call>(["call", "show", part.id]);
    assert.deepEqual([call.number, call.links[0]!.message], [1, messages.at(-1)!.info.id]);
    const child = place.start(["call", "show", part.id, "--request", "--raw"]);
    const hash = createHash("sha256");
    child.stdout.on("data", (chunk: Buffer) => hash.update(chunk));
    await finished(child);
    assert.equal(hash.digest("hex"), call.request.sha256);
    const { stdout } = await place.run(["call", "diff", part.id]);
    assert.match(stdout, /messages\n\+ 1 {2}assistant: .*\n\+ 2 {2}tool: first\n/);
  });
});

describe("trouble", () => {
  for (const [script, message, hint] of [
    ["[[err: 401]]", /^error: .*401/m, /^hint: check the key of faux/m],
    ["[[cut: half of this answer is lost]]", /^error: .*broke off/m, /^hint: faux failed or broke off/m],
  ] as const) {
    test(`${script} is a failure with its reason, its usage unknown`, async () => {
      const { code, stdout, stderr } = await place.run([...faux, script]);
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.match(stderr, hint);
      assert.match(stdout, /tokens unknown/);
      assert.match(stdout, /^resume: beeuni run -r ses_/m);
    });
  }

  test("[H-035] Ctrl-C stops the turn: exit 130, the partial text kept, the command's processes gone", async () => {
    const child = place.start([...faux, "[[say: before the stop]] [[shell: trap '' INT TERM; echo $$ > pid; sleep 60]]"]);
    const end = finished(child);
    await shows(child.stdout, "bash");
    const pid = await until(async () => (existsSync(join(place.work, "pid")) ? Number(readFileSync(join(place.work, "pid"), "utf8")) || undefined : undefined));
    child.kill("SIGINT");
    const { code, stdout, stderr } = await end;
    assert.equal(code, 130);
    assert.match(stdout, /before the stop/);
    assert.match(stderr, /stopping; Ctrl-C again leaves at once/);
    assert.equal(isThere(pid), false);
    const { turns, messages } = await stateOf((await newest()).id);
    assert.equal(turns[0]!.outcome, "aborted");
    assert.ok(messages.some(({ parts }) => parts.some((part) => part.type === "text" && part.text.includes("before the stop"))));
  });

  test("a second Ctrl-C leaves at once", async () => {
    const child = place.start([...faux, "[[shell: trap '' INT TERM; echo $$ > pid2; sleep 60]]"]);
    const end = finished(child);
    const pid = await until(async () => (existsSync(join(place.work, "pid2")) ? Number(readFileSync(join(place.work, "pid2"), "utf8")) || undefined : undefined));
    const said = shows(child.stderr, "stopping");
    child.kill("SIGINT");
    await said;
    child.kill("SIGINT");
    assert.equal((await end).code, 130);
    await until(async () => (isThere(pid) ? undefined : true));
  });

  test("a reader that leaves stops the turn, quietly", async () => {
    const child = place.start([...faux, "[[shell: echo one]] [[shell: echo two; sleep 60]] [[text: never]]"]);
    const end = finished(child);
    await shows(child.stdout, "one");
    child.stdout.destroy();
    const { code, stderr } = await end;
    assert.equal(code, 130);
    assert.doesNotMatch(stderr, /error|at .*node:/);
    assert.equal((await stateOf((await newest()).id)).turns[0]!.outcome, "aborted");
  });

  test("after kill -9 the session goes on, and says what was interrupted", async () => {
    const child = place.start([...faux, "[[shell: echo up; sleep 60]]"]);
    await shows(child.stdout, "bash");
    const { id } = await until(async () => [await newest()].find(({ status }) => status.type === "busy"));
    child.kill("SIGKILL");
    await finished(child);
    const { code, stdout, stderr } = await place.run(["run", "-r", id, "-q", "[[text: here again]]"]);
    assert.deepEqual([code, stdout], [0, "here again\n"]);
    assert.match(stderr, /warning: .*interrupted/);
    assert.deepEqual((await stateOf(id)).turns.map(({ outcome }) => outcome), ["interrupted", "completed"]);
  });

  test("a session that another process has open is locked, and stays whole", async () => {
    const child = place.start([...faux, "[[shell: sleep 60]]"]);
    const end = finished(child);
    await shows(child.stdout, "bash");
    const { id } = await until(async () => [await newest()].find(({ status }) => status.type === "busy"));
    const { code, stderr } = await place.run(["run", "-r", id, "hi"]);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`error: .*${id} is open in .*${child.pid}[\\s\\S]*hint: `));
    child.kill("SIGINT");
    assert.equal((await end).code, 130);
  });
});
