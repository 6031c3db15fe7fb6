import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { Call, SessionEntry, TurnInfo } from "@beeuni/protocol";
import type { MessageWithParts, StateSnapshot } from "@beeuni/sdk";
import { beeuni, beeuniJson, Cli, ENTRY } from "./support/cli.ts";
import { canMount, withFileSystem } from "./support/mounts.ts";
import { assertLines } from "./support/output-lines.ts";
import { Place } from "./support/place.ts";
import { childrenOf, membersOf } from "./support/processes.ts";
import { conversation } from "./support/session.ts";
import { onTerminal } from "./support/terminal.ts";

const RUN = ["run", "--model", "faux/demo"];

describe("trouble in a turn", { concurrency: 2 }, () => {
  const place = new Place();
  const isolation = `beeuni: no isolation: the agent's commands run with your rights (user …) in ${place.project}`;
  let silent: Awaited<ReturnType<typeof startSilent>>;
  before(async () => {
    silent = await startSilent();
    place.configure({
      closed: { baseUrl: "http://127.0.0.1:9/v1", models: ["demo"] }, silent: { baseUrl: `http://127.0.0.1:${silent.port}/v1`, models: ["demo"] },
    });
  });
  after(() => {
    silent.close();
    place[Symbol.dispose]();
  });

  const RETRIES = (message: string): string[] => [1, 2].map((attempt) => `beeuni: retrying in … (attempt ${attempt}): ${message}`);
  const BROKEN = "The model's answer broke off or never came (terminated: other side closed (UND_ERR_SOCKET)).";
  const again = "try again with: beeuni run -r SESSION";
  /** What the provider does, and what is printed: the answer on stdout, and stderr after the first line. */
  const FAILURES: { name: string; model?: string; prompt: string; shown?: string; stderr: string[]; calls: string[]; error: TurnInfo["error"] }[] = [
    { name: "401", prompt: "[[err: 401]]", stderr: ["error: scripted error 401", "hint: check the key of faux: beeuni doctor shows which variables and files were read"], calls: ["401 complete"], error: { code: "auth", message: "scripted error 401", status: 401 } },
    { name: "429, again and again", prompt: "[[err: 429 after 0]]", stderr: [...RETRIES("scripted error 429"), "error: scripted error 429", "hint: wait a little, then go on with: beeuni run -r SESSION"], calls: ["429 complete", "429 complete", "429 complete"], error: { code: "rate_limit", message: "scripted error 429", status: 429 } },
    { name: "500, again and again", prompt: "[[err: 500]]", stderr: [...RETRIES("scripted error 500"), "error: scripted error 500", `hint: faux failed or broke off (beeuni call ls shows the exchange); ${again}`], calls: ["500 complete", "500 complete", "500 complete"], error: { code: "upstream", message: "scripted error 500", status: 500 } },
    { name: "an answer that is cut", prompt: "[[cut: half of these words are lost]]", shown: "half of these wo", stderr: [...RETRIES(BROKEN), `error: ${BROKEN}`, `hint: faux failed or broke off (beeuni call ls shows the exchange); ${again}`], calls: ["200 cut", "200 cut", "200 cut"], error: { code: "upstream", message: BROKEN } },
    { name: "nobody at the address", model: "closed/demo", prompt: "hi", stderr: [...RETRIES("closed (http://127.0.0.1:9/v1/chat/completions) gave no answer: connection refused"), "error: closed (http://127.0.0.1:9/v1/chat/completions) gave no answer: connection refused", `hint: closed failed or broke off (beeuni call ls shows the exchange); ${again}`], calls: ["502 refused", "502 refused", "502 refused"], error: { code: "upstream", message: "closed (http://127.0.0.1:9/v1/chat/completions) gave no answer: connection refused", status: 502 } },
    { name: "a connection that is closed without a word", model: "silent/demo", prompt: "hi", stderr: [...RETRIES("silent (http://127.0.0.1:…) gave no answer: the connection was closed before the answer was whole"), "error: silent (http://127.0.0.1:…) gave no answer: the connection was closed before the answer was whole", `hint: silent failed or broke off (beeuni call ls shows the exchange); ${again}`], calls: ["502 refused", "502 refused", "502 refused"], error: { code: "upstream", message: "…", status: 502 } },
  ];
  for (const { name, model = "faux/demo", prompt, shown = "", stderr, calls, error } of FAILURES) {
    test(`the provider answers with ${name}: a failure with its reason, its usage unknown, and what came is kept`, async () => {
      const result = await beeuni(place, ["run", "--model", model, prompt]);
      const session = /resume: beeuni run -r (ses_\w+)\n$/.exec(result.stdout)![1]!;
      assertLines(result.stderr, [isolation, ...stderr.map((line) => line.replace("SESSION", session))]);
      assert.equal(result.code, 1);
      assert.match(result.stdout, /^pi 1\.6\.0 · \w+\/demo · tokens unknown · [\d.]+m?s\nresume: /m);
      if (shown !== "") assert.ok(result.stdout.startsWith(`${shown}\n`));
      const state = await beeuniJson<StateSnapshot>(place, ["session", "show", session]);
      const seen = await beeuniJson<Call[]>(place, ["call", "ls", session]);
      const [ended] = state.turns as [TurnInfo];
      assert.deepEqual([ended.outcome, ended.usage], ["failed", null]);
      assert.deepEqual({ ...ended.error, ...(error!.message === "…" ? { message: "…" } : {}) }, error);
      assert.deepEqual(seen.map((call) => `${call.status} ${call.end}`), calls);
      assert.ok(seen.every(({ usage }) => usage === null));
      if (shown !== "") assert.ok(conversation(state).includes(`assistant: ${shown}`));
    });
  }

  test("a failure is no success in any form of output: --json, --jsonl, -q, -o", async () => {
    const json = await beeuni(place, [...RUN, "--json", "[[err: 401]]"]);
    const { answer, turn } = JSON.parse(json.stdout) as { answer: string; turn: TurnInfo };
    assert.deepEqual([json.code, answer, turn.outcome, turn.usage], [1, "", "failed", null]);
    assert.equal(json.stderr.trimEnd().split("\n").at(-1), '{"code":"turn_failed","error":"scripted error 401","hint":"check the key of faux: beeuni doctor shows which variables and files were read"}');
    const lines = await beeuni(place, [...RUN, "--jsonl", "[[err: 401]]"]);
    const last = JSON.parse(lines.stdout.trimEnd().split("\n").at(-1)!) as { type: string; outcome: string };
    assert.deepEqual([lines.code, last.type, last.outcome], [1, "turn.ended", "failed"]);
    const quiet = await beeuni(place, [...RUN, "-q", "-o", "answer.txt", "[[err: 401]]"]);
    assert.deepEqual([quiet.code, quiet.stdout, existsSync(join(place.project, "answer.txt"))], [1, "", false]);
  });

  test("a disk that fills while the log is written: one message, no success, what was acknowledged is kept, and the session goes on with room", async (t) => {
    if (!canMount()) return t.diagnostic("nothing may be mounted on this machine: a full disk is not tried");
    using own = new Place();
    const mounted = join(own.root, "mounted");
    const keep = join(own.root, "kept");
    // The command runs on a disk of 40 KiB; then its files are copied out of the namespace, for the tests to look at.
    const cli = new Cli(own, [...RUN, "[[say: Counting.]] [[shell: seq 100000]] [[shell: seq 100000]] [[text: never said]]"], {
      env: { BEEUNI_HOME: mounted }, through: [...withFileSystem(mounted, 40), "sh", "-c", `"$@"; code=$?; cp -R ${mounted} ${keep}; exit $code`, "sh"],
    });
    const { code, stdout, stderr } = await cli.done;
    assertLines(stderr, [isolation.replace(place.project, own.project), `error: ${mounted}/sessions/…/log.jsonl can't be written: no space is left on the device (ENOSPC)`, "hint: free some space, then open the session again: what was acknowledged is kept"]);
    assert.equal(code, 1);
    assert.match(stdout, /^Counting\.\n\n● bash {2}seq 100000\n/);
    assert.doesNotMatch(stdout, /resume|never said/);
    const env = { BEEUNI_HOME: keep };
    const [id] = readdirSync(join(keep, "sessions")) as [string];
    const resumed = await beeuni(own, ["run", "-q", "-r", id, "[[text: and on]]"], { env });
    assert.deepEqual([resumed.code, resumed.stdout], [0, "and on\n"]);
    const said = conversation({ messages: await beeuniJson<MessageWithParts[]>(own, ["session", "messages", id], { env }) });
    assert.deepEqual([said[1], said[2], said.at(-1)], ["assistant: Counting.", "bash interrupted: The process ended before this was finished; it was not done again.", "assistant: and on"]);
  });

  test("a model that never answers: Ctrl-C ends the turn, and the session goes on", async () => {
    await using cli = new Cli(place, [...RUN, "--jsonl", "[[hang]]"]);
    await cli.until(({ stdout }) => stdout.includes("turn.started"));
    cli.kill("SIGINT");
    const { code, stdout, stderr } = await cli.done;
    const { session } = JSON.parse(stdout.split("\n")[0]!) as { session: string };
    assertLines(stderr, [isolation, "beeuni: stopping; Ctrl-C again leaves at once", `{"code":"aborted","error":"stopped; what was said until then is kept","hint":"go on with: beeuni run -r ${session}"}`]);
    assert.equal(code, 130);
    assert.equal((await beeuni(place, ["run", "-q", "-r", session, "[[text: on]]"])).stdout, "on\n");
  });

  test("two Ctrl-C: the second leaves at once, no command is left, and the session goes on", async () => {
    await using cli = new Cli(place, [...RUN, "--jsonl", "[[shell: trap '' INT TERM; echo $$ > group; while :; do sleep 1; done]] [[text: never]]"]);
    await cli.until(({ stdout }) => stdout.includes('"status":"running"'));
    while (!existsSync(join(place.project, "group")) || readFileSync(join(place.project, "group"), "utf8") === "") await new Promise((resolve) => setTimeout(resolve, 10));
    const group = Number(readFileSync(join(place.project, "group"), "utf8"));
    assert.ok(membersOf(group).length > 0 && childrenOf(cli.process.pid!).length > 0);
    cli.kill("SIGINT");
    await cli.until(({ stderr }) => stderr.includes("stopping"));
    const second = performance.now();
    cli.kill("SIGINT");
    const { code, stdout } = await cli.done;
    assert.ok(performance.now() - second < 1000);
    assert.equal(code, 130);
    for (const until = performance.now() + 3000; membersOf(group).length > 0; ) {
      assert.ok(performance.now() < until, "a command outlived the process");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { session } = JSON.parse(stdout.split("\n")[0]!) as { session: string };
    assert.equal((await beeuni(place, ["run", "-q", "-r", session, "[[text: on]]"])).stdout, "on\n");
  });

  test("a prompt of 20 MB on stdin arrives whole, and is read again whole", async () => {
    const prompt = `${"Zwölf Boxkämpfer. ".repeat(1_050_000)}[[text: got it]]`;
    const { code, stdout, stderr } = await beeuni(place, [...RUN, "--json"], { stdin: prompt });
    assert.equal(code, 0, stderr);
    const { session, answer } = JSON.parse(stdout) as { session: { id: string; title: string }; answer: string };
    assert.deepEqual([answer, session.title.length], ["got it", 80]);
    const [{ parts: [part] }] = await beeuniJson<[MessageWithParts]>(place, ["session", "messages", session.id]);
    assert.ok(part?.type === "text" && part.text === prompt);
    const [call] = await beeuniJson<[Call]>(place, ["call", "ls", session.id]);
    assert.ok(call.request.bytes > Buffer.byteLength(prompt));
  });

  test("a terminal of 40 columns: what is the command's own fits; NO_COLOR leaves no colour", async () => {
    const words = [...RUN, "[[shell: echo 'a line of this command that is wider than the terminal'; seq 30]] [[text: bye]]"];
    const coloured = await onTerminal(place, words, 40);
    assert.match(coloured, /\u001b\[/);
    const plain = await onTerminal(place, words, 40, { NO_COLOR: "1" });
    assert.doesNotMatch(plain, /\u001b/);
    const shape = (text: string): string[] => stripVTControlCharacters(text).replace(/ses_\w+/, "SES").replace(/\d+(\.\d+)?m?s$/m, "TIME").split("\n").slice(1);
    assert.deepEqual(shape(plain), shape(coloured));
    const own = shape(plain).slice(0, -2);
    assert.deepEqual(own.filter((line) => line.length > 40), []);
    assert.deepEqual(own.slice(0, 2), ["● bash  echo 'a line of this command th…", "  a line of this command that is wider …"]);
  });

  test("a reader that leaves (`| head -1`): the turn is stopped, quietly", async () => {
    const script = `${process.execPath} ${ENTRY} run --model faux/demo '[[shell: echo one]] [[slow: 0.1]] [[text: ${"many words ".repeat(200)}]]' 2>err | head -1; echo "\${PIPESTATUS[*]}"`;
    const child = spawn("bash", ["-c", script], { cwd: place.project, env: place.environment(), stdio: ["ignore", "pipe", "inherit"] });
    const before = performance.now();
    let stdout = "";
    for await (const chunk of child.stdout) stdout += String(chunk);
    assert.equal(stdout, "● bash  echo one\n130 0\n");
    assert.ok(performance.now() - before < 15_000, "it did not wait for the words that nobody reads");
    assertLines(readFileSync(join(place.project, "err"), "utf8"), [isolation]);
    const [{ id, status }] = (await beeuniJson<SessionEntry[]>(place, ["session", "ls"])).filter(({ title }) => title.includes("many words")) as [SessionEntry];
    assert.equal(status.type, "idle");
    assert.equal((await beeuniJson<{ turns: TurnInfo[] }>(place, ["session", "show", id])).turns[0]!.outcome, "aborted");
  });

  test("a clock that goes back, between two runs and within one: order, ids and lengths stay sound, and calls are found", async () => {
    using own = new Place();
    const clock = (env: { [name: string]: string }): { env: { [name: string]: string } } => ({ env: { NODE_OPTIONS: `--import ${new URL("support/clock.mjs", import.meta.url).href}`, ...env } });
    const { session: { id } } = await beeuniJson<{ session: { id: string } }>(own, [...RUN, "[[shell: echo 1]] [[text: one]]"]);
    const yesterday = await beeuni(own, ["run", "-r", id, "[[shell: echo 2]] [[text: two]]"], clock({ CLOCK_BACK: String(86_400_000) }));
    assert.match(`${yesterday.code} ${yesterday.stdout}`, /^0 [^]*two\n\npi 1\.6\.0 · faux\/demo · in [\d,]+ · out \d+ · (?!-)/);
    const backwards = await beeuni(own, ["run", "-r", id, "[[shell: echo 3]] [[text: three]]"], clock({ CLOCK_STEP: "1000" }));
    assert.equal(backwards.code, 0, backwards.stderr);
    const messages = await beeuniJson<MessageWithParts[]>(own, ["session", "messages", id]);
    assert.deepEqual(conversation({ messages }).filter((line) => !line.startsWith("user")), ["bash completed: 1", "assistant: one", "bash completed: 2", "assistant: two", "bash completed: 3", "assistant: three"]);
    const ids = messages.map(({ info }) => info.id);
    const times = readFileSync(join(own.session(id), "log.jsonl"), "utf8").trimEnd().split("\n").map((line) => (JSON.parse(line) as { at: number }).at);
    assert.deepEqual([ids, times], [[...ids].sort(), times.toSorted((a, b) => a - b)]);
    const calls = await beeuniJson<Call[]>(own, ["call", "ls", id]);
    assert.deepEqual(calls.map(({ number, links }) => [number, links.map(({ message }) => message)]), messages.filter(({ info }) => info.role === "assistant").map(({ info }, number) => [number, [info.id]]));
    assert.equal((await beeuniJson<Call>(own, ["call", "show", calls[2]!.id])).number, 2);
  });
});

/** Accepts connections and closes them as soon as something was said. */
async function startSilent(): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => void socket.once("data", () => socket.destroy()).on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}
