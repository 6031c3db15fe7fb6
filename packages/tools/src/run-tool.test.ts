import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES } from "./bound-output.ts";
import { resultText, runTool } from "./run-tool.ts";
import { projectWith } from "./tool-fixture.ts";
import type { LoadedTool, ToolContext } from "./tool.ts";

const tool = (execute: LoadedTool["execute"]): LoadedTool => ({ name: "lookup", description: "d", parameters: { type: "object" }, source: "project", path: "t.ts", digest: null, execute });
const context = (signal = new AbortController().signal): ToolContext => ({ sessionId: "ses_1", agent: "build", directory: "/w", env: { A: "1" }, signal });
const nowhere = { outputDirectory: "/nonexistent" };

test("[H-081] a result becomes text: a string as it is, undefined empty, the rest JSON", () => {
  assert.deepEqual([resultText("a\n"), resultText(undefined), resultText(null), resultText({ a: [1] }), resultText(3), resultText(false)],
    ["a\n", "", "null", '{\n  "a": [\n    1\n  ]\n}', "3", "false"]);
});

test("[H-080] a tool gets its arguments and the context; absent arguments are an empty object", async () => {
  const seen: unknown[] = [];
  const recording = tool((args, { signal, ...rest }) => void seen.push(args, rest, signal.aborted));
  await runTool(recording, { q: 1 }, context(), nowhere);
  await runTool(recording, undefined, context(), nowhere);
  const rest = { sessionId: "ses_1", agent: "build", directory: "/w", env: { A: "1" } };
  assert.deepEqual(seen, [{ q: 1 }, rest, false, {}, rest, false]);
});

test("[H-082] a tool runs in this process", async () => {
  assert.deepEqual(await runTool(tool(() => process.pid), {}, context(), nowhere), { output: String(process.pid), metadata: {} });
});

test("[M-077] what a tool throws is its error: errors, texts, rejections, results that are no JSON", async () => {
  const message = (execute: LoadedTool["execute"]): Promise<string> => runTool(tool(execute), {}, context(), nowhere).then(() => "no error", (error: unknown) => {
    assert.ok(error instanceof Error);
    return error.message;
  });
  const circular: { self?: unknown } = {};
  circular.self = circular;
  assert.equal(await message(() => { throw new Error("no such order"); }), "no such order");
  assert.equal(await message(() => { throw "plain text"; }), "plain text");
  assert.equal(await message(() => Promise.reject(new TypeError("late"))), "late");
  assert.match(await message(() => circular), /circular/);
});

test("[H-079] a tool that never returns ends when the turn is stopped, and is reported", async () => {
  const stop = new AbortController();
  const abandoned: string[] = [];
  let started = (): void => {};
  const isRunning = new Promise<void>((resolve) => { started = resolve; });
  const running = runTool(tool(() => { started(); return new Promise(() => {}); }), {}, context(stop.signal), { ...nowhere, onAbandoned: (name) => abandoned.push(name) });
  await isRunning;
  stop.abort();
  await assert.rejects(running, { code: "aborted", message: "the turn was stopped while lookup was running" });
  assert.deepEqual(abandoned, ["lookup"]);
});

test("[H-079] a tool that obeys the signal is not abandoned, and its late result does not count", async () => {
  const stop = new AbortController();
  const abandoned: string[] = [];
  const obedient = tool((_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped by itself"))));
  const running = runTool(obedient, {}, context(stop.signal), { ...nowhere, onAbandoned: (name) => abandoned.push(name) });
  setImmediate(() => stop.abort());
  await assert.rejects(running, { code: "aborted" });
  assert.deepEqual(abandoned, []);
  await assert.rejects(runTool(tool(() => assert.fail("ran after the stop")), {}, context(stop.signal), nowhere), { code: "aborted" });
});

test("[H-081] an output at the limits passes whole; one byte or line more is cut and kept in a file", async () => {
  await using folder = await projectWith({});
  const outputDirectory = join(folder.directory, "outputs");
  const run = (output: string) => runTool(tool(() => output), {}, context(), { outputDirectory });
  const most = "x".repeat(MAX_OUTPUT_BYTES);
  const mostLines = "\n".repeat(MAX_OUTPUT_LINES - 1);
  assert.deepEqual(await run(most), { output: most, metadata: {} });
  assert.deepEqual(await run(mostLines), { output: mostLines, metadata: {} });

  const long = `${most}y`;
  const cut = await run(long);
  const file = String(cut.metadata["file"]);
  assert.match(file, /\/outputs\/lookup-\d+-[0-9a-f]{8}\.txt$/);
  assert.deepEqual(cut, {
    output: `${most}\n[Output truncated: 50177 bytes, 1 lines. The whole output is in ${file}; read it in parts or search it.]`,
    metadata: { truncated: true, bytes: 50177, lines: 1, file },
  });
  assert.equal(await readFile(file, "utf8"), long);
  assert.deepEqual([(await stat(file)).mode & 0o777, (await stat(outputDirectory)).mode & 0o777], [0o600, 0o700]);

  const lines = await run(Array.from({ length: 1991 }, (_, index) => `line ${index}`).join("\n"));
  assert.equal(lines.output.split("\n").length, MAX_OUTPUT_LINES + 1);
  assert.equal(lines.output.split("\n")[1989], "line 1989");
});

test("[H-081] a long output is cut between characters and between lines", async () => {
  await using folder = await projectWith({});
  const run = (output: string) => runTool(tool(() => output), {}, context(), { outputDirectory: folder.directory });
  const wide = await run("a" + "€".repeat(MAX_OUTPUT_BYTES));
  assert.match(wide.output, /^a€+\n\[Output truncated: /);
  const rows = await run("0123456789\n".repeat(5000).slice(0, -1));
  assert.deepEqual([...new Set(rows.output.split("\n").slice(0, -1))], ["0123456789"]);
  assert.equal((await readdir(folder.directory)).length, 2);
});

test("[H-081] when the whole output can't be kept, the head still arrives and says so", async () => {
  await using folder = await projectWith({});
  await writeFile(join(folder.directory, "file"), "");
  const { output, metadata } = await runTool(tool(() => "x\n".repeat(3000)), {}, context(), { outputDirectory: join(folder.directory, "file", "deeper") });
  assert.match(output, /\[Output truncated: 6000 bytes, 3001 lines\. The rest could not be kept: ENOTDIR/);
  assert.deepEqual(metadata, { truncated: true, bytes: 6000, lines: 3001, file: null });
});
