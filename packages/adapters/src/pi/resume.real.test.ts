import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { HarnessEvent, HistoryMessage } from "@beeuni/harness";
import { sessionSpec, toolchainFolder } from "@beeuni/conformance";
import { pi as harness } from "./index.ts";
import { PiKit, requestProblems, textOf, type WireMessage } from "./testing/pi-kit.ts";

const assistantTexts = (messages: readonly WireMessage[]): string[] => messages.filter(({ role }) => role === "assistant").map(textOf);

const HISTORY: HistoryMessage[] = [
  { role: "user", text: "[[shell: echo one]] [[text: first]]", toolCalls: [] },
  { role: "assistant", text: "", toolCalls: [{ callId: "call_x", tool: "bash", input: { command: "echo one" }, output: "one\n", isError: false }] },
  { role: "assistant", text: "first", toolCalls: [] },
];

/** A session with one finished turn, closed. */
async function closedSession(pi: PiKit): Promise<{ nativeId: string; file: string }> {
  const { session, ...opened } = await pi.open();
  await pi.kit.completed({ session, ...opened }, "[[shell: echo one]] [[text: first]]");
  const nativeId = session.nativeId!;
  await session.close();
  return { nativeId, file: await sessionFile(pi) };
}

async function sessionFile(pi: PiKit): Promise<string> {
  const folder = join(pi.kit.folders.stateDir, "sessions");
  return join(folder, (await readdir(folder)).at(-1)!);
}

describe("a session that is opened again", () => {
  test("goes on in its own file, with the same native id", async () => {
    await using pi = await PiKit.start();
    const { nativeId } = await closedSession(pi);
    const second = await pi.open({ resume: { nativeId }, history: HISTORY });
    assert.equal(second.session.nativeId, nativeId);
    await pi.kit.completed(second, "[[text: second]]");
    assert.deepEqual(assistantTexts(pi.lastRequest.messages), ["", "first"]);
    assert.deepEqual(requestProblems(pi.lastRequest), []);
    assert.deepEqual(second.host.of("notice"), []);
    assert.deepEqual(second.host.of("session.bound"), [{ type: "session.bound", nativeId }]);
  });

  const damages: [string, (file: string) => Promise<void>, RegExp][] = [
    ["missing", (file) => rm(file), /is missing/],
    ["torn", async (file) => truncate(file, (await readFile(file)).length - 20), /was torn \(an unfinished line of \d+ bytes\)/],
    ["overwritten", (file) => writeFile(file, "not a session\n"), /can't be used \(its first line is not the session's header\)/],
    ["emptied", (file) => writeFile(file, ""), /can't be used/],
  ];
  for (const [what, damage, told] of damages) {
    test(`whose file is ${what} is rebuilt from the transcript, and says so`, async () => {
      await using pi = await PiKit.start();
      const { nativeId, file } = await closedSession(pi);
      await damage(file);
      const second = await pi.open({ resume: { nativeId }, history: HISTORY });
      assert.notEqual(second.session.nativeId, nativeId);
      assert.deepEqual(second.host.of("session.bound").map((event) => event.nativeId), [second.session.nativeId]);
      assert.match(second.host.of("notice")[0]?.message ?? "", told);
      await pi.kit.completed(second, "[[shell: echo two]] [[text: second]]");
      assert.deepEqual(pi.lastRequest.messages.map(({ role }) => role), ["system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"]);
      assert.deepEqual(requestProblems(pi.lastRequest), []);
      assert.ok(second.host.of("tool.call").every(({ callId }) => callId !== "call_x"));
    });
  }

  test("whose file is older than the transcript is rebuilt; a longer file is kept", async () => {
    await using pi = await PiKit.start();
    const { nativeId } = await closedSession(pi);
    const behind = await pi.open({ resume: { nativeId }, history: [...HISTORY, { role: "user", text: "MORE", toolCalls: [] }] });
    assert.match(behind.host.of("notice")[0]?.message ?? "", /is older than the transcript/);
    await pi.kit.completed(behind, "[[text: second]]");
    assert.match(JSON.stringify(pi.lastRequest.messages), /MORE/);
    const ahead = await pi.open({ resume: { nativeId }, history: [] });
    assert.deepEqual(ahead.host.of("notice"), []);
  });

  test("a session that never had a prompt has no file, and is no trouble", async () => {
    await using pi = await PiKit.start();
    const { session } = await pi.open();
    const nativeId = session.nativeId!;
    await session.close();
    const second = await pi.open({ resume: { nativeId } });
    assert.deepEqual(second.host.of("notice"), []);
    await pi.kit.completed(second, "[[text: first]]");
  });

  test("a transcript with interrupted calls makes a valid next request", async () => {
    await using pi = await PiKit.start();
    const history: HistoryMessage[] = [
      { role: "user", text: "go", toolCalls: [] },
      { role: "assistant", text: "part", toolCalls: [{ callId: "call_a", tool: "bash", input: { command: "x" }, output: "The call did not end.", isError: true }, { callId: "call_b", tool: "gone_tool", input: {}, output: "", isError: false }] },
    ];
    const opened = await pi.open({ history });
    await pi.kit.completed(opened, "[[text: on]]");
    assert.deepEqual(requestProblems(pi.lastRequest), []);
    assert.deepEqual(pi.lastRequest.messages.filter(({ role }) => role === "tool").map(textOf), ["The call did not end.", "(no tool output)"]);
  });
});

describe("a process that was killed", () => {
  /** Runs the prompts in a process of their own and kills it, with SIGKILL, when `at` is reported. */
  async function killAt(pi: PiKit, prompts: string[], at: (event: HarnessEvent) => boolean): Promise<HarnessEvent[]> {
    const spec = sessionSpec(pi.kit.folders, { endpoint: pi.kit.endpoint, toolchainDir: toolchainFolder(harness) });
    const script = fileURLToPath(new URL("./testing/killed-session.ts", import.meta.url));
    const child = spawn(process.execPath, [script, JSON.stringify({ spec, prompts })], { stdio: ["ignore", "pipe", "inherit"] });
    const events: HarnessEvent[] = [];
    for await (const line of createInterface(child.stdout)) {
      const event = JSON.parse(line) as HarnessEvent;
      events.push(event);
      if (at(event)) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    assert.equal(child.signalCode, "SIGKILL", "the process ended before the event came");
    return events;
  }
  const nativeIdOf = (events: HarnessEvent[]): string => events.flatMap((event) => (event.type === "session.bound" ? [event.nativeId] : []))[0]!;

  test("under a tool call: nothing is run again, and the model is told that it may have taken effect", async () => {
    await using pi = await PiKit.start();
    const events = await killAt(pi, [`[[shell: echo ran >> ${pi.workspace}/count; echo $$ > ${pi.workspace}/pid; echo out; sleep 300]]`], (event) => event.type === "tool.progress");
    const pid = (await readFile(join(pi.workspace, "pid"), "utf8")).trim();
    const state = async (): Promise<string> => (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") X")).split(") ").at(-1)![0]!;
    for (let tries = 0; tries < 100 && !"XZ".includes(await state()); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.match(await state(), /[XZ]/, "the command outlives the killed process");
    const resumed = await pi.open({ resume: { nativeId: nativeIdOf(events) }, history: [] });
    await pi.kit.completed(resumed, "[[text: on]]");
    assert.deepEqual(pi.lastRequest.messages.filter(({ role }) => role === "tool").map(textOf), ["The call was interrupted; it may or may not have taken effect."]);
    assert.deepEqual(requestProblems(pi.lastRequest), []);
    assert.equal(await readFile(join(pi.workspace, "count"), "utf8"), "ran\n");
  });

  for (const [moment, at] of [["tool.start", (event: HarnessEvent) => event.type === "tool.start"], ["tool.call", (event: HarnessEvent) => event.type === "tool.call"], ["part.delta", (event: HarnessEvent) => event.type === "part.delta"], ["message.end", (event: HarnessEvent) => event.type === "message.end"]] as const) {
    test(`at its second ${moment}: the session goes on, and the next request is valid`, async () => {
      await using pi = await PiKit.start();
      let seen = 0;
      const events = await killAt(pi, ["[[say: a b c. ]] [[shell: echo one]] [[text: first]]", "[[say: d e f. ]] [[shell: echo two; sleep 5]] [[text: second]]"], (event) => at(event) && ++seen === 2);
      const resumed = await pi.open({ resume: { nativeId: nativeIdOf(events) }, history: [] });
      await pi.kit.completed(resumed, "[[text: third]]");
      assert.deepEqual(requestProblems(pi.lastRequest), []);
      assert.match(JSON.stringify(pi.lastRequest.messages), /echo one/);
      assert.equal(textOf(pi.lastRequest.messages.at(-1)!), "[[text: third]]");
    });
  }

  test("while it wrote its file: the unfinished line is dropped and the rest is used when there is no transcript", async () => {
    await using pi = await PiKit.start();
    const { nativeId, file } = await closedSession(pi);
    await appendFile(file, '{"type":"message","id":"x","mess');
    const resumed = await pi.open({ resume: { nativeId }, history: [] });
    assert.equal(resumed.session.nativeId, nativeId);
    await pi.kit.completed(resumed, "[[text: second]]");
    assert.deepEqual(assistantTexts(pi.lastRequest.messages), ["", "first"]);
    for (const line of (await readFile(file, "utf8")).trimEnd().split("\n")) JSON.parse(line);
  });
});
