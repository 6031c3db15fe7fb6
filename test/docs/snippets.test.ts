import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What a page leaves to its reader. */
const GIVEN = "declare const url: string;\ndeclare const token: string;\n";

/** The `ts` blocks of the pages that import a package of ours, by `page:line`. */
function snippets(): { [place: string]: string } {
  const found: { [place: string]: string } = {};
  for (const page of ["README.md", ...globSync("docs/**/*.md", { cwd: root })]) {
    const text = readFileSync(join(root, page), "utf8");
    for (const block of text.matchAll(/^```ts\n([\s\S]*?)^```/gm)) {
      if (block[1]!.includes('from "@beeuni/')) found[`${page}:${text.slice(0, block.index).split("\n").length}`] = block[1]!;
    }
  }
  return found;
}

/** What the compiler says about these texts, as modules of this checkout. */
function compile(texts: readonly string[]): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "snippets-"));
  try {
    const files = texts.map((text, index) => ({ name: `${index}.ts`, text: GIVEN + text }));
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(root, "tsconfig.json"), include: [], files: files.map(({ name }) => name) }));
    return spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the pages' TypeScript fits the packages that it imports", () => {
  const blocks = snippets();
  assert.ok(Object.keys(blocks).some((place) => place.startsWith("docs/sessions.md:")), "docs/sessions.md shows the SDK");
  const control = 'import { createClient } from "@beeuni/sdk";\ncreateClient({ url, token }).watch({ session: "ses_1" });\n';
  const output = compile([...Object.values(blocks), control]);
  const errors = output.split("\n").filter((line) => /: error TS/.test(line));
  const last = Object.keys(blocks).length;
  assert.deepEqual(errors.filter((line) => !line.includes(`${last}.ts(`)), [], `pages: ${Object.keys(blocks).join(", ")}`);
  assert.equal(errors.length, 1, `control: a wrong argument must be seen\n${output}`);
});
