import assert from "node:assert/strict";
import { test } from "node:test";
import { captureSink } from "../testing/capture.ts";
import { sinkOf } from "../io.ts";
import { jsonText } from "./json.ts";
import { fields } from "./table.ts";
import { oneLine, terminalText, visible } from "./plain.ts";

test("nothing that a model or a tool says can act on the terminal", () => {
  assert.equal(visible("\x1b]52;c;aGk=\x07red\x1b[31m\x9b1A\x7f\ttab\r\nnext\rover"), "␛]52;c;aGk=␇red␛[31m\ufffd1A␡\ttab\nnext␍over");
});

test("text does not read in another order than it is", () => {
  assert.equal(visible("rm \u202etxt.\u2066a\u2069"), "rm \ufffdtxt.\ufffda\ufffd");
});

test("a terminal gets this program's own sequences and no others; a pipe gets what was written", () => {
  const ours = "\x1b[1m\x1b[31merror:\x1b[39m\x1b[22m \x1b[2mdim\x1b[22m\ttab\n";
  assert.equal(terminalText(ours), ours);
  assert.equal(terminalText("\r\x1b[Kinstalling"), "\r\x1b[Kinstalling");
  for (const hostile of ["\x1b]0;title\x07", "\x1b[2J", "\x1b[8mhidden", "\x1b[31", "\x1b", "\x9b1A", "a\r\x1b[Kb", "\x1b[1;31m", "\x1b[?25l", "\x1bP1q\x1b\\", "\x7f", "\u202e"]) {
    assert.doesNotMatch(terminalText(`${ours}${hostile}`).slice(ours.length), /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/, JSON.stringify(hostile));
  }
  const written = (isTTY: boolean): string => {
    const chunks: string[] = [];
    const stream = { isTTY, columns: 80, on: () => stream, write: (chunk: string) => chunks.push(chunk) } as unknown as NodeJS.WriteStream;
    const sink = sinkOf(stream, {}, new AbortController());
    // A sequence in two pieces is none either.
    for (const chunk of ["\x1b", "[2J", "\x1b]0;t\x07"]) sink.write(chunk);
    return chunks.join("");
  };
  assert.deepEqual([written(true), written(false)], ["␛[2J␛]0;t␇", "\x1b[2J\x1b]0;t\x07"]);
});

test("JSON escapes what acts on a terminal and stays the same value", () => {
  const value = { "\u009b2J": "\u202e\x7f\x1b é 日本" };
  assert.equal(jsonText(value), '{"\\u009b2J":"\\u202e\\u007f\\u001b é 日本"}');
  assert.deepEqual(JSON.parse(jsonText(value, 2)), value);
});

test("a name with a line break makes no second line of a page", () => {
  assert.equal(fields([["folder", "/a\nstatus  idle"]], captureSink().sink.colours), "folder  /a status  idle\n");
});

test("a text of carriage returns is shown at once", { timeout: 20_000 }, () => {
  assert.equal(visible(`${"\r".repeat(300_000)}x`).length, 300_001);
  assert.equal(visible("a\r\r\nb\r"), "a\nb␍");
});

test("oneLine folds white space", () => {
  assert.equal(oneLine("  a\n\tb\r\n c\x1b "), "a b c␛");
});
