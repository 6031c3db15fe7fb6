import assert from "node:assert/strict";
import { test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { parse } from "../parse.ts";
import { runOptions, type RunOptions } from "./options.ts";

function options(...words: string[]): RunOptions {
  const parsed = parse(["run", ...words], { columns: 80 });
  assert.ok(parsed.kind === "run");
  return runOptions(parsed.invocation);
}

test("what may run without asking: patterns and everything", () => {
  assert.deepEqual(options("--allow", "bash:git *", "--allow", "edit", "--yes").allow, {
    rules: [{ permission: "bash", pattern: "git *" }, { permission: "edit", pattern: "*" }], everything: true,
  });
  assert.deepEqual(options().allow, { rules: [], everything: false });
});

for (const [words, error] of [
  [["--json", "--jsonl"], "--json and --jsonl don't go together"],
  [["-q", "--json"], "--quiet and --json don't go together"],
  [["-r", "ses_1", "--title", "x"], "--title is for a new session, and -r continues one"],
  [["-r", "ses_1", "--dir", "."], "--dir is for a new session, and -r continues one"],
  [["--allow", "two words"], '--allow "two words" is no permission and pattern'],
  [["--model", "demo"], '"demo" is no model'],
] as const) {
  test(`${words.join(" ")} is a usage error`, () => {
    assert.throws(() => options(...words), (thrown) => thrown instanceof BeeuniError && thrown.exitCode === 2 && thrown.message === error && thrown.hint !== undefined);
  });
}
