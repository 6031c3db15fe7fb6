import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadTools } from "./load-tools.ts";
import { runTool } from "./run-tool.ts";
import { moduleReturning, projectWith } from "./tool-fixture.ts";
import type { LoadedTool, LoadedTools } from "./tool.ts";

const context = { sessionId: "ses_1", agent: "build", directory: "/w", env: {}, signal: new AbortController().signal };

async function call(loaded: LoadedTools, name: string): Promise<string> {
  const tool = loaded.tools.find((candidate) => candidate.name === name);
  assert.ok(tool, `${name} did not load: ${JSON.stringify(loaded.failed)}`);
  return (await runTool(tool, {}, context, { outputDirectory: "/nonexistent" })).output;
}

function load(directory: string, paths: { [name: string]: string }, timeoutMs?: number): Promise<LoadedTools> {
  const modules = Object.entries(paths).map(([name, path]) => ({ name, path }));
  return loadTools({ directory, modules, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

test("[H-079] every kind of module loads: TypeScript with enums, CommonJS, .mjs, top-level await, relative imports and packages", async () => {
  await using project = await projectWith({
    "tools/shared.ts": "export const from: string = 'shared';",
    "node_modules/pack/package.json": '{"name":"pack","type":"module","exports":"./index.js"}',
    "node_modules/pack/index.js": "export const name = 'pack';",
    "tools/typed.ts": moduleReturning("return `${from} ${name} ${Level.High}`", "import { from } from './shared.ts'; import { name } from 'pack'; enum Level { High = 3 }"),
    "tools/awaits.ts": moduleReturning("return `${value} ${from}`", "import { from } from './shared'; const value = await Promise.resolve('later');"),
    "tools/plain.mjs": moduleReturning("return 'mjs'"),
    "tools/module.mts": moduleReturning("return 'mts' as string"),
    "tools/common.cjs": "module.exports = { description: 'c', parameters: { type: 'object' }, execute() { return 'cjs'; } };",
    "tools/common.js": "const { from } = require('./shared.ts'); module.exports = { description: 'c', parameters: { type: 'object' }, execute() { return from; } };",
    "tools/uses-this.ts": "export default { description: 'd', parameters: { type: 'object' }, word: 'own', execute() { return this.word; } };",
  });
  const loaded = await load(project.directory, {
    typed: "tools/typed.ts", awaits: "tools/awaits.ts", mjs: "tools/plain.mjs", mts: "tools/module.mts", cjs: "tools/common.cjs", js: "tools/common.js", own: "tools/uses-this.ts",
  });
  const outputs: { [name: string]: string } = {};
  for (const { name } of loaded.tools) outputs[name] = await call(loaded, name);
  assert.deepEqual(loaded.failed, []);
  assert.deepEqual(outputs, { typed: "shared pack 3", awaits: "later shared", mjs: "mjs", mts: "mts", cjs: "cjs", js: "shared", own: "own" });
});

test("[M-077] a module that fails is skipped with its reason and the rest load", async () => {
  await using project = await projectWith({
    "tools/good.ts": moduleReturning("return 'good'"),
    "tools/no-default.ts": "export const x = 1;",
    "tools/function.ts": "export default () => 'x';",
    "tools/no-description.ts": "export default { description: ' ', parameters: { type: 'object' }, execute() {} };",
    "tools/bad-parameters.ts": "export default { description: 'd', parameters: { properties: {} }, execute() {} };",
    "tools/no-execute.ts": "export default { description: 'd', parameters: { type: 'object' } };",
    "tools/throws.ts": "throw new Error('boom at load');",
    "tools/throws-text.ts": "throw 'just text';",
    "tools/syntax.ts": "export default {\n  oops:\n",
    "tools/misses.ts": "import 'not-installed-anywhere'; export default {};",
  });
  const loaded = await load(project.directory, {
    a: "tools/no-default.ts", b: "tools/function.ts", c: "tools/no-description.ts", d: "tools/bad-parameters.ts", e: "tools/no-execute.ts",
    f: "tools/throws.ts", g: "tools/throws-text.ts", h: "tools/syntax.ts", i: "tools/misses.ts", j: "tools/absent.ts", k: "../outside.ts", good: "tools/good.ts",
  });
  assert.deepEqual(loaded.failed.map(({ name, error }) => [name, error]), [
    ["a", "the module has no default export object"],
    ["b", "the module has no default export object"],
    ["c", "`description` must be a non-empty string"],
    ["d", "`parameters` must be a JSON Schema object (`{ type: \"object\", properties: { … } }`)"],
    ["e", "`execute(args, context)` must be a function"],
    ["f", "tools/throws.ts: boom at load"],
    ["g", "tools/throws-text.ts: just text"],
    ["h", "tools/syntax.ts: ParseError: Unexpected token tools/syntax.ts:3:0"],
    ["i", "tools/misses.ts: Cannot find module 'not-installed-anywhere'"],
    ["j", "tools/absent.ts does not exist"],
    ["k", "../outside.ts leaves the project checkout"],
  ]);
  assert.equal(await call(loaded, "good"), "good");
});

test("[M-077] an import that never returns ends with a reason, and the rest load", async () => {
  await using project = await projectWith({
    "tools/hangs.ts": "await new Promise(() => {}); export default {};",
    "tools/good.ts": moduleReturning("return 'good'"),
  });
  const loaded = await load(project.directory, { hangs: "tools/hangs.ts", good: "tools/good.ts" }, 300);
  assert.deepEqual(loaded.failed, [{ name: "hangs", path: "tools/hangs.ts", error: "tools/hangs.ts: the import did not finish within 0.3 s" }]);
  assert.equal(await call(loaded, "good"), "good");
});

test("[M-077] a link that leaves the project is refused, one that stays inside is followed", async () => {
  await using outside = await projectWith({ "x.ts": moduleReturning("return 'outside'") });
  await using project = await projectWith({ "lib/x.ts": moduleReturning("return 'inside'") });
  await mkdir(join(project.directory, "tools"));
  await symlink(join(outside.directory, "x.ts"), join(project.directory, "tools/out.ts"));
  await symlink("../lib/x.ts", join(project.directory, "tools/in.ts"));
  const loaded = await load(project.directory, { out: "tools/out.ts", in: "tools/in.ts" });
  assert.deepEqual(loaded.failed, [{ name: "out", path: "tools/out.ts", error: "tools/out.ts leaves the project checkout" }]);
  assert.equal(await call(loaded, "in"), "inside");
});

test("[M-075] a module may stand in any folder", async () => {
  await using project = await projectWith({ "integrations/crm/note.ts": moduleReturning("return 'noted'") });
  assert.equal(await call(await load(project.directory, { crm_note: "integrations/crm/note.ts" }), "crm_note"), "noted");
});

test("[H-079] each load is a fresh instance: edits of a module and of what it imports are seen, state is not shared", async () => {
  const importing = (file: string): string => moduleReturning("calls++; return `${value} ${calls}`", `import { value } from '${file}'; let calls = 0;`);
  await using project = await projectWith({
    "a.ts": importing("./part.ts"),
    "b.mjs": importing("./part.mjs"),
    "c.ts": importing("./part.mjs").replace("let calls", "await 0; let calls"),
    "d.cjs": "let calls = 0; module.exports = { description: 'd', parameters: { type: 'object' }, execute() { calls++; return `${require('./part.cjs').value} ${calls}`; } };",
  });
  const seen: string[][] = [];
  for (const value of ["one", "two"]) {
    for (const [file, text] of [["part.ts", `export const value = '${value}';`], ["part.mjs", `export const value = '${value}';`], ["part.cjs", `exports.value = '${value}';`]] as const) {
      await project.write(file, text);
    }
    const loaded = await load(project.directory, { a: "a.ts", b: "b.mjs", c: "c.ts", d: "d.cjs" });
    seen.push([await call(loaded, "a"), await call(loaded, "b"), await call(loaded, "c"), await call(loaded, "d")]);
  }
  assert.deepEqual(seen, [Array(4).fill("one 1"), Array(4).fill("two 1")]);
});

test("[H-080] the digest is that of the module's file", async () => {
  const text = moduleReturning("return 'x'");
  await using project = await projectWith({ "tools/x.ts": text });
  const [tool] = (await load(project.directory, { x: "tools/x.ts" })).tools;
  const { execute: _, ...rest } = tool as LoadedTool;
  assert.deepEqual(rest, {
    name: "x", description: "A tool.", parameters: { type: "object", properties: {} }, source: "project", path: "tools/x.ts",
    digest: createHash("sha256").update(text).digest("hex"),
  });
});

test("[H-081] Beeuni's own tools come first; a project module of the same name replaces one, also when it is broken", async () => {
  const own = (word: string) => ({ description: word, parameters: { type: "object" }, execute: () => word });
  await using project = await projectWith({ "tools/memory.ts": moduleReturning("return 'mine'"), "tools/show.ts": "export default {};" });
  const loaded = await loadTools({
    directory: project.directory, system: { web_search: own("web"), memory: own("theirs"), show: own("theirs") },
    modules: [{ name: "memory", path: "tools/memory.ts" }, { name: "show", path: "tools/show.ts" }],
  });
  assert.deepEqual(loaded.tools.map(({ name, source, path }) => [name, source, path]), [["web_search", "beeuni", "beeuni:web_search"], ["memory", "project", "tools/memory.ts"]]);
  assert.equal(await call(loaded, "memory"), "mine");
  assert.deepEqual(loaded.failed.map(({ name }) => name), ["show"]);
});

test("[M-077] without a checkout every module says so", async () => {
  const loaded = await loadTools({ directory: null, modules: [{ name: "x", path: "tools/x.ts" }] });
  assert.deepEqual(loaded, { tools: [], failed: [{ name: "x", path: "tools/x.ts", error: "this session has no project checkout to load it from" }] });
});
