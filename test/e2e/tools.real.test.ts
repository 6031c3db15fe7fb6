import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { beeuni, Cli } from "./support/cli.ts";
import { type ModelRequest, ModelServer, toolNames, toolResults } from "./support/model-server.ts";
import { assertLines } from "./support/output-lines.ts";
import { Place, projectFiles } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { completed, conversation, promptOf, stateWhen, turn } from "./support/session.ts";

const PARAMETERS = { type: "object", properties: { key: { type: "string", description: "What to look up" }, deep: { type: "boolean" } }, required: ["key"] };
const module_ = (execute: string, head = ""): string => `${head}export default { description: "A tool.", parameters: { type: "object" }, ${execute} };\n`;

const MODULES: { [path: string]: string } = {
  "tools/lookup.ts": `import type { Kind } from "./kinds.ts";\nexport default {\n  description: "Looks a key up.",\n  parameters: ${JSON.stringify(PARAMETERS)},\n  async execute(args: { key: string; deep?: boolean }) { const kind: Kind = "value"; return { [kind]: args.key.toUpperCase(), deep: args.deep ?? null }; },\n};\n`,
  "tools/kinds.ts": 'export type Kind = "value";\n',
  "integrations/crm/note.ts": module_('execute: () => "noted"'),
  "tools/itself.ts": module_('execute: () => createHash("sha256").update(readFileSync(new URL(import.meta.url))).digest("hex")', 'import { createHash } from "node:crypto";\nimport { readFileSync } from "node:fs";\n'),
  "tools/where.ts": module_("execute: (_: object, context: object) => ({ pid: process.pid, ...context, signal: undefined })"),
  "tools/throws.ts": module_('execute() { throw new Error("the line is busy"); }'),
  "tools/never.ts": module_("execute: () => new Promise(() => {})"),
  "tools/broken-load.ts": 'throw new Error("no licence found");\n',
  "tools/no-execute.ts": 'export default { description: "A tool.", parameters: { type: "object" } };\n',
};
const MANIFEST = `tools:
  lookup: tools/lookup.ts
  crm_note: integrations/crm/note.ts
  itself: tools/itself.ts
  where: tools/where.ts
  throws: tools/throws.ts
  never: tools/never.ts
  broken_load: tools/broken-load.ts
  no_execute: tools/no-execute.ts
  gone: tools/gone.ts
  show: beeuni:show
`;
const LOADED = ["lookup", "crm_note", "itself", "where", "throws", "never"];
const LEFT_OUT = [
  "The tool broken_load was left out: tools/broken-load.ts: no licence found",
  "The tool no_execute (tools/no-execute.ts) was left out: `execute(args, context)` must be a function",
  "The tool gone was left out: tools/gone.ts does not exist",
];
const BUILT_IN = ["bash", "read", "write", "edit", "glob", "grep", "question"];

describe("tools on the real harness", () => {
  let place: Place;
  let model: ModelServer;
  let server: Server;
  before(async () => {
    place = new Place({ ...projectFiles({ a: "You are a." }, MANIFEST), ...MODULES, "notes.txt": "first line\nsecond line\n" });
    model = await ModelServer.start();
    place.configure({ up: model.provider });
    server = await Server.start(place, ["--model", "up/demo"]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  /** Runs one call of a tool in a new session; answers its result, as the model got it, and the first request. */
  async function call(tool: string, input: object = {}): Promise<{ id: string; request: ModelRequest; result: string }> {
    const { id } = await server.client.sessions.create();
    const before = model.requests.length;
    await completed(server.client, id, `[[tool ${tool} ${JSON.stringify(input)}]] [[text: done]]`);
    return { id, request: model.requests[before]!.body, result: toolResults(model.last)[0]! };
  }

  test("[H-079] [H-081] [M-072] a project's tools are offered under their names with their own schema, and run with what the model gave", async () => {
    const { request, result } = await call("lookup", { key: "grün", deep: true });
    assert.deepEqual(toolNames(request), [...BUILT_IN, ...LOADED]);
    const { description, parameters } = request.tools!.find(({ function: { name } }) => name === "lookup")!.function;
    assert.deepEqual({ description, parameters }, { description: "Looks a key up.", parameters: PARAMETERS });
    assert.deepEqual(JSON.parse(result), { value: "GRÜN", deep: true });
  });

  test("[M-075] a module may stand in any folder", async () => {
    assert.equal((await call("crm_note")).result, "noted");
  });

  test("[H-080] [H-082] the daemon runs the project's own file, in its own process, with a context and nothing of its environment", async () => {
    assert.equal((await call("itself")).result, createHash("sha256").update(readFileSync(join(place.project, "tools/itself.ts"))).digest("hex"));
    const { id, result } = await call("where");
    const { env, ...context } = JSON.parse(result) as { env: { [name: string]: string } };
    assert.deepEqual(context, { pid: server.pid, sessionId: id, agent: "a", directory: place.project });
    assert.deepEqual(Object.keys(env).sort(), ["HOME", "LANG", "PATH", "TMPDIR"]);
  });

  test("[M-077] modules that fail are skipped with their reason, the rest load; validate says the same", async () => {
    const { id } = await server.client.sessions.create();
    const notices = (await server.client.sessions.state(id)).notices.filter(({ code }) => code === "tool_skipped").map(({ message }) => message);
    assert.deepEqual(notices, LEFT_OUT);
    const { code, stderr } = await beeuni(place, ["validate"]);
    assert.deepEqual([code, stderr], [1, `3 error(s):
  tools/broken-load.ts tools.broken_load: no licence found
  tools/no-execute.ts tools.no_execute: \`execute(args, context)\` must be a function
  tools/gone.ts tools.gone: tools/gone.ts does not exist
`]);
  });

  test("the same at the command line: what was left out is told before the turn, a call that throws is shown with its words, and one that never returns ends with Ctrl-C", async () => {
    const { code, stdout, stderr } = await beeuni(place, ["run", "--model", "up/demo", "[[tool throws]] [[tool lookup {\"key\": \"a\"}]] [[text: done]]"]);
    assert.equal(code, 0);
    assertLines(stderr, [
      "beeuni: no isolation: …", 'beeuni: warning: beeuni.yaml:16:3 tools.show: the Beeuni tool "show" is not in this version: sessions run without it.',
      ...LEFT_OUT.map((line) => `beeuni: warning: ${line}`),
    ]);
    assert.match(stdout, /^● throws\n {2}✗ failed: the line is busy\n● lookup[^]*"value": "A"[^]*\ndone\n/);
    await using cli = new Cli(place, ["run", "--model", "up/demo", "--jsonl", "[[tool never]] [[text: never]]"]);
    await cli.until((running) => running.stdout.includes('"status":"running"'));
    cli.kill("SIGINT");
    const stopped = await cli.done;
    assert.equal(stopped.code, 130);
    assert.match(stopped.stderr, /stopped; what was said until then is kept/);
  });

  test("a tool that throws is an error that the model reads; the turn and the session go on", async () => {
    const { id, result } = await call("throws");
    assert.equal(result, "the line is busy");
    assert.equal(conversation(await server.client.sessions.state(id)).at(-2), "throws failed: the line is busy");
    await completed(server.client, id, "[[text: still here]]");
  });

  test("a tool that never returns ends with the turn, when that is stopped", async () => {
    const { id } = await server.client.sessions.create();
    const { turn: started } = await server.client.sessions.prompt(id, promptOf("[[tool never]]"));
    await stateWhen(server.client, id, ({ messages }) => messages.some(({ parts }) => parts.some((part) => part.type === "tool" && part.state.status === "running")));
    const before = performance.now();
    await server.client.sessions.abort(id);
    const state = await stateWhen(server.client, id, ({ turns }) => turns.some((one) => one.id === started && one.endedAt !== undefined));
    assert.ok(performance.now() - before < 1500);
    assert.equal(state.turns.at(-1)!.outcome, "aborted");
    assert.equal(conversation(await server.client.sessions.state(id)).at(-1), "never aborted: The call was stopped before it ended.");
  });

  test("[H-084] a tool that `tools:` does not list is not offered, and refused when it is called", async () => {
    const { id } = await server.client.sessions.create();
    const before = model.requests.length;
    assert.equal((await turn(server.client, id, '[[tool! memory {"command": "view"}]] [[text: done]]')).outcome, "completed");
    assert.ok(!toolNames(model.requests[before]!.body).includes("memory"));
    const [result] = toolResults(model.last);
    assert.equal(conversation(await server.client.sessions.state(id)).at(-2), `memory failed: ${result}`);
    assert.match(result!, /memory/);
  });

  test("[H-105] bash, read, write, edit, glob and grep are offered under these names, and each one works", async () => {
    const { id } = await server.client.sessions.create();
    const calls = [
      'bash {"command": "echo hi"}', 'read {"path": "notes.txt", "offset": 2}', 'write {"path": "new/file.txt", "content": "one\\n"}',
      'edit {"path": "new/file.txt", "edits": [{"oldText": "one", "newText": "two"}]}', 'glob {"pattern": "notes.*"}', 'grep {"pattern": "second", "glob": "*.txt"}',
    ];
    await completed(server.client, id, `${calls.map((one) => `[[tool ${one}]]`).join(" ")} [[text: done]]`);
    assert.deepEqual(toolResults(model.last), [
      "hi\n", "second line", "Created new/file.txt (4 bytes).", "Edited new/file.txt (1 replacement).", "notes.txt", "notes.txt:2: second line",
    ]);
    assert.equal(readFileSync(join(place.project, "new/file.txt"), "utf8"), "two\n");
    assert.ok(!existsSync(join(place.project, "undefined")));
  });
});
