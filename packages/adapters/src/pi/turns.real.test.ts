import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { checkEvents, prompt } from "@beeuni/conformance";
import { callChunk, chunk, startChunkServer } from "./testing/chunk-server.ts";
import { agentSet, PiKit, requestProblems, textOf, toolNames } from "./testing/pi-kit.ts";

describe("a turn on Pi", () => {
  test("[H-002] [H-003] [H-033] the tool that the model asks for runs, its result reaches the model, and all of it is reported", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    await pi.kit.completed(opened, "[[say: Looking. ]] [[shell: echo hi]] [[text: It said hi.]]");
    const [, second] = pi.requests;
    assert.deepEqual(second?.messages.map(({ role }) => role), ["system", "user", "assistant", "tool"]);
    assert.equal(textOf(second!.messages[3]!), "hi\n");
    const { host } = opened;
    const [call] = host.of("tool.call");
    assert.deepEqual([call?.tool, call?.input], ["bash", { command: "echo hi" }]);
    assert.deepEqual(host.texts(), ["Looking. ", "It said hi."]);
    assert.deepEqual(host.of("tool.end"), [{ type: "tool.end", callId: call?.callId, output: "hi\n", metadata: { bytes: 3, lines: 1, truncated: false, exit: 0 } }]);
    assert.deepEqual(host.of("message.end").map(({ finish, usage }) => [finish, usage !== null]), [["tool-calls", true], ["stop", true]]);
  });

  test("[H-105] [H-140] the six tools and question are offered under these names, no todowrite, and each one works", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open({}, { ask: () => [["yes"]] });
    const calls: [string, object][] = [
      ["write", { path: "a/b.txt", content: "one\ntwo\n" }], ["edit", { path: "a/b.txt", edits: [{ oldText: "two", newText: "2" }] }], ["read", { path: "a/b.txt" }],
      ["glob", { pattern: "*.txt" }], ["grep", { pattern: "one" }], ["bash", { command: "cat a/b.txt" }],
      ["question", { questions: [{ question: "Go on?", header: "Go", options: [{ label: "yes", description: "" }] }] }],
    ];
    await pi.kit.completed(opened, `${calls.map(([name, input]) => `[[tool ${name} ${JSON.stringify(input)}]]`).join(" ")} [[text: done]]`);
    assert.deepEqual(toolNames(pi.lastRequest), ["bash", "read", "write", "edit", "glob", "grep", "question"]);
    assert.deepEqual(opened.host.results(), [
      "Created a/b.txt (8 bytes).", "Edited a/b.txt (1 replacement).", "one\n2", "a/b.txt", "a/b.txt:1: one", "one\n2\n", "User answered:\nGo: yes",
    ]);
    assert.deepEqual(requestProblems(pi.lastRequest), []);
    assert.equal(opened.host.authorized.length, calls.length);
  });

  test("what is kept of a session is the user's alone", async () => {
    await using pi = await PiKit.start();
    await pi.kit.completed(await pi.open(), "[[shell: seq 3000]] [[text: done]]");
    const entries = await readdir(pi.kit.folders.stateDir, { recursive: true, withFileTypes: true });
    const kept = await Promise.all(entries.map(async (entry) => [entry.isFile(), (await stat(join(entry.parentPath, entry.name))).mode & 0o777] as const));
    assert.ok(kept.filter(([isFile]) => isFile).length >= 2, "Pi's own file and the command's output");
    for (const [isFile, mode] of kept) assert.equal(mode & 0o077, 0, `${isFile ? "file" : "folder"} ${mode.toString(8)}`);
  });

  test("[H-082] a host tool runs in this process", async () => {
    await using pi = await PiKit.start();
    const hostTools = [{ name: "pid", description: "tells", parameters: { type: "object", properties: { any: { type: "string" } }, required: ["any"] } }];
    const opened = await pi.open({ agents: agentSet({ hostTools }) }, { runTool: async () => ({ output: String(process.pid), metadata: {} }) });
    // The arguments are the tool's own matter: what does not fit its schema reaches it as it is.
    await pi.kit.completed(opened, '[[tool pid {"any": 7}]] [[text: done]]');
    assert.deepEqual(opened.host.results(), [String(process.pid)]);
    assert.deepEqual(opened.host.ran.map(({ input }) => input), [{ any: 7 }]);
    assert.deepEqual(pi.lastRequest.tools?.at(-1)?.function, { name: "pid", description: "tells", parameters: hostTools[0]!.parameters });
  });

  test("several calls of one message run together and each has its result", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    await pi.kit.completed(opened, '[[tools: bash {"command": "until [ -e b ]; do sleep 0.01; done; echo a"} ; bash {"command": "touch b; echo b"}]] [[text: done]]');
    // The first waits for the second: one after the other they would never end.
    assert.deepEqual(opened.host.results().sort(), ["a\n", "b\n"]);
    assert.deepEqual(pi.lastRequest.messages.filter(({ role }) => role === "tool").map(textOf), ["a\n", "b\n"]);
  });

  test("ids that a provider repeats or omits are made unique, for us and in the requests", async () => {
    await using pi = await PiKit.start(() => startChunkServer(
      [callChunk(0, "call_0", "glob", { pattern: "x" }), chunk({}, "tool_calls")],
      [callChunk(0, "call_0", "glob", { pattern: "y" }), callChunk(1, undefined, "glob", { pattern: "z" }), chunk({}, "tool_calls")],
      [chunk({ content: "done" }, "stop")],
    ));
    const opened = await pi.open();
    await pi.kit.completed(opened, "go");
    assert.equal(new Set(opened.host.of("tool.call").map(({ callId }) => callId)).size, 3);
    assert.deepEqual(requestProblems(pi.lastRequest), []);
    assert.deepEqual(opened.host.of("message.end").map(({ usage }) => usage), [null, null, null]);
  });

  test("files of a prompt: images for models that see, text as text, the rest by name", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open({ endpoint: pi.endpoint({ images: true }) });
    await writeFile(join(pi.workspace, "notes.md"), "# Notes\n");
    // A 1×1 PNG.
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const parts = [
      { type: "text", text: "[[text: seen]]" }, { type: "file", mime: "image/png", url: `data:image/png;base64,${png}` },
      { type: "file", mime: "text/markdown", url: `file://${pi.workspace}/notes.md`, filename: "notes.md" },
      { type: "file", mime: "application/pdf", url: "https://example.com/a.pdf" }, { type: "file", mime: "text/plain", url: "file:///nowhere/at/all" },
    ] as const;
    assert.deepEqual(await opened.session.turn({ ...prompt(""), parts }), { outcome: "completed" });
    const content = pi.lastRequest.messages.at(-1)!.content as { type: string; text?: string; image_url?: { url: string } }[];
    assert.equal(content.find(({ type }) => type === "image_url")?.image_url?.url, `data:image/png;base64,${png}`);
    const text = content.find(({ type }) => type === "text")!.text!;
    assert.match(text, /<file name="notes.md">\n# Notes\n\n<\/file>\n\n\[attached file: https:\/\/example.com\/a.pdf \(application\/pdf\)\]\n\n\[attached file: file:\/\/\/nowhere\/at\/all; it can't be read/);
  });

  test("a prompt that looks like a command of Pi's, a template or a shell escape is a plain prompt", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    for (const text of ["/help [[text: ok]]", "/skill:x [[text: ok]]", "!ls [[text: ok]]"]) {
      await pi.kit.completed(opened, text);
      assert.equal(textOf(pi.lastRequest.messages.at(-1)!), text);
    }
  });

  test("one turn runs at a time; a second one is refused and the first goes on", async () => {
    await using pi = await PiKit.start();
    const { session, host } = await pi.open();
    const first = session.turn(prompt("[[shell: sleep 0.1; echo hi]] [[text: one]]"));
    assert.deepEqual(await session.turn(prompt("[[text: two]]")), { outcome: "failed", error: { code: "harness", message: "a turn is running already" } });
    assert.deepEqual(await first, { outcome: "completed" });
    assert.deepEqual(host.texts(), ["one"]);
  });

  test("what can't be run is a failed turn, never an exception", async () => {
    await using pi = await PiKit.start();
    const { session } = await pi.open();
    assert.deepEqual(await session.turn(prompt("x", { agent: "nobody" })), { outcome: "failed", error: { code: "harness", message: 'there is no agent "nobody"' } });
    assert.deepEqual(await session.turn(prompt("x", { model: { provider: "up", id: "m9" } })), { outcome: "failed", error: { code: "harness", message: "the session can't call up/m9" } });
    await session.close();
    assert.deepEqual(await session.turn(prompt("x")), { outcome: "failed", error: { code: "harness", message: "the session is closed" } });
    assert.equal((await session.health()).state, "down");
    await session.close();
  });

  test("long output of a command is in a file that the model may read on", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    await pi.kit.completed(opened, "[[shell: seq 1 20000]] [[text: done]]");
    const [ended] = opened.host.of("tool.end");
    const file = String(ended?.metadata["file"]);
    assert.equal((await readFile(file, "utf8")).split("\n").length, 20_001);
    await pi.kit.completed(opened, `[[tool read ${JSON.stringify({ path: file, offset: 5, limit: 1 })}]] [[text: done]]`);
    assert.equal(opened.host.results().at(-1), "5\n[Lines 5 to 5 of 20000. Read on with offset 6.]");
    assert.deepEqual(checkEvents(opened.host.events), []);
  });
});
