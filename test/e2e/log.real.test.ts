import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Call } from "@beeuni/protocol";
import type { BeeuniClient } from "@beeuni/sdk";
import { EMPTY_TREE, type LogEvent, parseLogEvent, reduceAll, type TreeState } from "@beeuni/transcript";
import { openSessionLog, readSessionLog } from "@beeuni/transcript/log";
import { beeuni, Cli } from "./support/cli.ts";
import { ModelServer } from "./support/model-server.ts";
import { Place, projectFiles } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { completed, promptOf, stateWhen, turn } from "./support/session.ts";

const FILES = projectFiles({
  free: "You may do anything.",
  asks: '---\npermission:\n  bash: {"*": ask, "rm *": deny}\n---\nYou ask.',
});

describe("a session's log", () => {
  /** One log per way that a session can go; by name. */
  const logs = new Map<string, string>();
  let place: Place;
  let model: ModelServer;
  let server: Server;

  before(async () => {
    place = new Place(FILES);
    model = await ModelServer.start();
    place.configure({ up: model.provider });
    server = await Server.start(place, ["--model", "up/demo"]);
    const { client } = server;
    const keep = (name: string, id: string): void => void logs.set(name, id);
    keep("texts, tools, reasoning and failures", await talk(client));
    keep("permissions and a question", await ask(client));
    keep("stops", await stop(client));
    const { id } = await client.sessions.create();
    await completed(client, id, "[[text: before]]");
    await client.sessions.restart(id);
    await completed(client, id, "[[shell: echo after]]");
    keep("a restart", id);
    keep("a process that was killed, and a run that goes on", await crash());
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  async function talk(client: BeeuniClient): Promise<string> {
    const { id } = await client.sessions.create({ title: "Zwölf 🙂" });
    await completed(client, id, '[[think: Hm, 世界.]] [[say: Both. ]] [[tools: bash {"command": "echo ü; sleep 0.3; echo 🙂"} ; read {"path": "missing"}]] [[slow: 0.02]] [[text: one two three four five six seven eight nine ten]]');
    await completed(client, id, "[[err: 429 x1 after 0]] [[text: after a refusal]]");
    assert.equal((await turn(client, id, "[[err: 401]]")).outcome, "failed");
    assert.equal((await turn(client, id, "[[cut: broken off three times]]")).outcome, "failed");
    return id;
  }

  async function ask(client: BeeuniClient): Promise<string> {
    const { id } = await client.sessions.create({ agent: "asks" });
    for (const [script, reply] of [["[[shell: echo once]]", "once"], ["[[shell: echo always]]", "always"], ["[[shell: echo always again]]", null], ["[[shell: ls]]", "reject"], ["[[shell: rm x]]", null]] as const) {
      const { turn: started } = await client.sessions.prompt(id, promptOf(script));
      if (reply !== null) await client.permissions.reply((await stateWhen(client, id, ({ permissions }) => permissions.length > 0)).permissions[0]!.id, { reply });
      await stateWhen(client, id, ({ turns }) => turns.some((one) => one.id === started && one.endedAt !== undefined));
    }
    const question = { questions: [{ question: "Which?", header: "Which", options: [{ label: "this", description: "" }, { label: "that", description: "" }] }] };
    await client.sessions.prompt(id, promptOf(`[[tool question ${JSON.stringify(question)}]]`));
    await client.questions.reply((await stateWhen(client, id, ({ questions }) => questions.length > 0)).questions[0]!.id, [["that"]]);
    await stateWhen(client, id, ({ status }) => status.type === "idle");
    return id;
  }

  async function stop(client: BeeuniClient): Promise<string> {
    const { id } = await client.sessions.create();
    for (const [script, seen] of [["[[slow: 0.02]] [[text: stopped in the middle of a long sentence that never ends]]", "text"], ["[[shell: echo started; sleep 60]]", "tool"]] as const) {
      await client.sessions.prompt(id, promptOf(script));
      await stateWhen(client, id, ({ messages }) => messages.at(-1)!.info.role === "assistant" && messages.at(-1)!.parts.some((part) => part.type === seen && (part.type !== "tool" || part.state.status === "running")));
      await client.sessions.abort(id);
      await stateWhen(client, id, ({ status }) => status.type === "idle");
    }
    return id;
  }

  /** Killed with -9 under a tool call, then continued by another process. */
  async function crash(): Promise<string> {
    await using cli = new Cli(place, ["run", "--model", "up/demo", "--jsonl", "[[say: Before. ]] [[shell: echo out; sleep 60]]"]);
    await cli.until(({ stdout }) => stdout.includes('"status":"running"') && stdout.includes('"output":"out'));
    const gone = once(cli.process, "exit");
    cli.kill("SIGKILL");
    await gone;
    const { session: id } = JSON.parse(cli.stdout.split("\n")[0]!) as { session: string };
    const { code, stderr } = await beeuni(place, ["run", "-q", "-r", id, "[[text: after]]"]);
    assert.equal(code, 0, stderr);
    return id;
  }

  const lines = (id: string): string[] => readFileSync(join(place.session(id), "log.jsonl"), "utf8").trimEnd().split("\n");
  const eventsOf = (id: string): LogEvent[] => lines(id).map((line) => parseLogEvent(JSON.parse(line))!);

  /** The check: whatever prefix was folded first, the rest on top of it gives the whole. */
  function checkPrefixes(events: readonly LogEvent[], resume: (state: TreeState) => TreeState): void {
    const whole = reduceAll(EMPTY_TREE, events);
    for (let length = 0; length <= events.length; length++) {
      const prefix = reduceAll(EMPTY_TREE, events.slice(0, length));
      assert.deepEqual(reduceAll(resume(prefix), events.slice(length)), whole, `after ${length} of ${events.length} events`);
    }
  }

  test("every way a session can go is in the logs", () => {
    const types = new Set([...logs.values()].flatMap(eventsOf).map(({ type }) => type));
    assert.deepEqual([...types].sort(), [
      "message.created", "message.updated", "part.snapshot", "part.updated", "permission.asked", "permission.replied", "question.asked", "question.replied",
      "session.created", "session.notice", "session.opened", "session.recovered", "session.updated", "turn.aborting", "turn.ended", "turn.retry", "turn.started",
    ]);
  });

  test("any prefix plus the rest is the whole, also through JSON, and with events that come twice", () => {
    for (const id of logs.values()) {
      const events = eventsOf(id);
      checkPrefixes(events, (state) => state);
      checkPrefixes(events, (state) => JSON.parse(JSON.stringify(state)) as TreeState);
      for (const overlap of [1, 7]) {
        const whole = reduceAll(EMPTY_TREE, events);
        for (let at = overlap; at <= events.length; at += overlap) {
          assert.deepEqual(reduceAll(reduceAll(EMPTY_TREE, events.slice(0, at)), events.slice(at - overlap)), whole);
        }
      }
    }
  });

  test("control: a fold that forgets which part a text belongs to is caught by the same check", () => {
    const forgetful = (state: TreeState): TreeState => ({
      ...state,
      sessions: Object.fromEntries(Object.entries(state.sessions).map(([id, session]) => [id, { ...session, messages: session.messages.map((message) => ({ ...message, parts: message.parts.slice(0, -1) })) }])),
    });
    assert.throws(() => checkPrefixes(eventsOf(logs.get("texts, tools, reasoning and failures")!), forgetful), /after \d+ of \d+ events/);
  });

  test("a file that was cut at any byte reads as its whole lines, is opened without loss, and the rest on top of it is the whole", async () => {
    const id = logs.get("permissions and a question")!;
    const bytes = readFileSync(join(place.session(id), "log.jsonl"));
    const events = eventsOf(id);
    const first = bytes.indexOf("\n") + 1;
    const step = Math.ceil((bytes.length - first) / 60);
    for (let cut = first; cut <= bytes.length; cut += step) {
      const folder = join(place.root, "cut", id);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "log.jsonl"), bytes.subarray(0, cut));
      const count = bytes.subarray(0, cut).toString("latin1").split("\n").length - 1;
      const expected = reduceAll(EMPTY_TREE, events.slice(0, count));
      assert.deepEqual((await readSessionLog(folder)).state, expected);
      const log = await openSessionLog(folder);
      assert.deepEqual([log.state, log.tornBytes], [expected, cut - (bytes.subarray(0, cut).lastIndexOf("\n") + 1)]);
      assert.deepEqual(reduceAll(log.state, events.slice(count)), reduceAll(EMPTY_TREE, events));
      await log.close();
      rmSync(folder, { recursive: true });
    }
  });

  /** Every read of the API and of the command line, for all sessions. */
  async function everything(): Promise<{ [read: string]: unknown }> {
    const answers: { [read: string]: unknown } = {};
    const { client } = server;
    answers["list"] = await client.sessions.list();
    for (const [name, id] of logs) {
      const state = await client.sessions.state(id);
      answers[`${name}: state`] = state;
      answers[`${name}: entry`] = await client.sessions.get(id);
      answers[`${name}: messages`] = await allMessages(client, id);
      answers[`${name}: each message`] = await Promise.all(state.messages.map(({ info }) => client.sessions.message(id, info.id)));
      const calls = await client.calls.list(id);
      answers[`${name}: calls`] = calls;
      answers[`${name}: bodies`] = await Promise.all(calls.flatMap(({ id: call }) => [client.calls.request(call), client.calls.response(call)]));
      answers[`${name}: events`] = await replayed(client, id, state.seq);
    }
    // The command line reads as the API does: one session will do.
    const id = logs.get("texts, tools, reasoning and failures")!;
    const part = (await client.sessions.state(id)).messages[1]!.parts[0]!.id;
    for (const words of [["session", "ls"], ["session", "show", id], ["session", "messages", id], ["call", "ls", id], ["call", "show", part]]) {
      const { code, stdout, stderr } = await beeuni(place, [...words, "--json"]);
      answers[words.join(" ")] = [code, stdout, stderr];
    }
    return answers;
  }

  async function allMessages(client: BeeuniClient, id: string): Promise<unknown[]> {
    const pages: unknown[][] = [];
    for (let before: string | undefined; ;) {
      const page = await client.sessions.messages(id, { limit: 3, ...(before === undefined ? {} : { before }) });
      pages.unshift(page.messages);
      if (page.before === undefined) return pages.flat();
      before = page.before;
    }
  }

  async function replayed(client: BeeuniClient, id: string, head: number): Promise<LogEvent[]> {
    const over = new AbortController();
    const events: LogEvent[] = [];
    for await (const item of client.events({ session: id, signal: over.signal })) {
      if (item.kind !== "event") continue;
      events.push(item.event);
      if (item.event.seq >= head) over.abort();
    }
    return events;
  }

  test("with the harness's own session files deleted, every read of API and command line still answers the whole session", async () => {
    // Following the events opens a session: all are open before and after alike.
    for (const id of logs.values()) await server.client.sessions.restart(id);
    const whole = await everything();
    for (const id of logs.values()) {
      assert.ok(readFileSync(join(place.session(id), "binding.json"), "utf8").includes("nativeId"));
      rmSync(join(place.session(id), "state"), { recursive: true });
    }
    const without = await everything();
    for (const read of Object.keys(whole)) assert.deepEqual(without[read], whole[read], read);
    const messages = whole["texts, tools, reasoning and failures: messages"] as unknown[];
    assert.ok(messages.length > 8 && (whole["texts, tools, reasoning and failures: calls"] as Call[]).length > 6, "there was something to read");

    // A new process answers the same, and the conversation goes on from the transcript.
    await server.stop();
    server = await Server.start(place, ["--model", "up/demo"]);
    const id = logs.get("texts, tools, reasoning and failures")!;
    const before = await server.client.sessions.messages(id, { limit: 200 });
    assert.deepEqual(before.messages, messages);
    await completed(server.client, id, "[[text: and on]]");
    const sent = model.last.messages.map(({ content }) => JSON.stringify(content)).join("\n");
    assert.match(sent, /one two three four five[^]*after a refusal[^]*and on/);
  });

  test("control: without the log none of these reads answers", async () => {
    const id = logs.get("stops")!;
    const log = join(place.session(id), "log.jsonl");
    copyFileSync(log, `${log}.kept`);
    rmSync(log);
    assert.equal((await beeuni(place, ["session", "messages", id])).code, 4);
    await assert.rejects(server.client.sessions.state(id), { code: "session_not_found" });
    renameSync(`${log}.kept`, log);
    assert.equal((await server.client.sessions.state(id)).info.id, id);
  });
});
