import assert from "node:assert/strict";
import { test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { COMMANDS } from "./command-table.ts";
import { parse } from "./parse.ts";
import { matchesGolden } from "./testing/capture.ts";

const wide = { columns: 80 };

function refused(line: string[]): { code: string; error: string; hint?: string } {
  try {
    parse(line, wide);
  } catch (error) {
    assert.ok(error instanceof BeeuniError);
    assert.equal(error.exitCode, 2);
    return error.toBody();
  }
  throw new Error(`accepted: ${line.join(" ")}`);
}

test("a command line becomes its arguments and options", () => {
  const parsed = parse(["run", "-r", "ses_1", "--allow", "bash:git *", "--allow", "edit", "--json", "do it"], wide);
  assert.ok(parsed.kind === "run");
  const { invocation } = parsed;
  assert.deepEqual(
    [invocation.command.path, invocation.arguments, invocation.text("resume"), invocation.list("allow"), invocation.flag("json"), invocation.flag("yes"), invocation.text("model")],
    [["run"], ["do it"], "ses_1", ["bash:git *", "edit"], true, false, undefined],
  );
});

test("an option that the table does not give the command is a fault, not undefined", () => {
  const parsed = parse(["doctor"], wide);
  assert.ok(parsed.kind === "run");
  assert.throws(() => parsed.invocation.flag("yes"), /doctor has no option "yes"/);
});

test("a prompt that begins with a dash goes after --", () => {
  const parsed = parse(["run", "--", "--what?"], wide);
  assert.ok(parsed.kind === "run");
  assert.deepEqual(parsed.invocation.arguments, ["--what?"]);
});

for (const [line, error, hint] of [
  [["sesion", "ls"], 'unknown command "sesion"', "did you mean beeuni session?"],
  [["session", "lss"], 'unknown command "session lss"', "did you mean beeuni session ls?"],
  [["session"], "beeuni session needs a verb", "beeuni session ls|show|messages|abort|rm"],
  [["zzzzzz"], 'unknown command "zzzzzz"', "see beeuni --help"],
  [["What is here?"], "a prompt alone is no command", 'beeuni run "What is here?"'],
  [["run", "--modle", "x"], 'unknown option "--modle"', "did you mean --model?"],
  [["session", "ls", "--jsn"], 'unknown option "--jsn"', "did you mean --json?"],
  [["help", "sesion"], 'unknown command "sesion"', "did you mean beeuni session?"],
  [["help", "session", "lst"], 'unknown command "session lst"', "did you mean beeuni session ls?"],
  [["nothing", "--help"], 'unknown command "nothing"', "see beeuni --help"],
  [["run", "--what is here?"], 'unknown option "--what is here?"', 'a prompt that begins with a dash goes after --: beeuni run -- "--what is here?"'],
  [["run", "a", "b"], "the prompt is one argument", 'put it in quotes: beeuni run "first do this, then that"'],
  [["run", "--model"], 'option "-m, --model <provider/model>" argument missing', "see beeuni run --help"],
  [["permission", "reply", "per_1"], 'missing required argument "reply"', "usage: beeuni permission reply <permission> <reply>"],
  [["session", "show", "a", "b"], 'too many arguments for "show". Expected 1 argument but got 2.', "usage: beeuni session show <session>"],
] as const) {
  test(`${line.join(" ")} is refused with what would work`, () => {
    assert.deepEqual(refused([...line]), { code: "usage", error, hint });
  });
}

for (const columns of [80, 40]) {
  test(`help of every command fits ${columns} columns`, () => {
    const pages = [["--help"], ...COMMANDS.filter((spec) => spec.path[0] !== "help").map((spec) => ["help", ...spec.path]), ["help", "session"]].map((line) => {
      const parsed = parse(line, { columns });
      assert.ok(parsed.kind === "help");
      return `$ beeuni ${line.join(" ")}\n${parsed.text}`;
    });
    const text = pages.join("\n");
    matchesGolden(`help-${columns}.txt`, text);
    // Lines to copy (examples, usage) are never broken.
    const prose = text.split("\n").filter((line) => !/^(\$|Usage:|  \S* ?.*beeuni |source)/.test(line) && !line.includes("<(beeuni"));
    assert.deepEqual(prose.filter((line) => line.length > columns), []);
  });
}

test("every option's name and every command's path is said once", () => {
  const paths = COMMANDS.map((spec) => spec.path.join(" "));
  assert.deepEqual(paths, [...new Set(paths)]);
  for (const spec of COMMANDS) {
    const flags = spec.options.flatMap((option) => option.flags.match(/--[\w-]+/g) ?? []);
    assert.deepEqual(flags, [...new Set(flags)], spec.path.join(" "));
  }
});
