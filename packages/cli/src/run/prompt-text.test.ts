import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { captureIo } from "../testing/capture.ts";
import { firstInvalidByte, readPrompt } from "./prompt-text.ts";

const folder = mkdtempSync(join(tmpdir(), "beeuni-prompt-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "prompt.md"), "\ufeffHallo Wörld\n");
writeFileSync(join(folder, "latin1.md"), Buffer.from("gr\xfcn", "latin1"));
writeFileSync(join(folder, "utf16.md"), Buffer.from("\ufeffhi", "utf16le"));

const io = (stdin?: string | Uint8Array) => captureIo({ cwd: folder, ...(stdin === undefined ? {} : { stdin }) }).io;
async function refused(work: Promise<string>): Promise<unknown> {
  const error = await work.then(() => assert.fail("accepted"), (thrown: unknown) => thrown);
  assert.ok(error instanceof BeeuniError);
  return error.toBody();
}

test("the prompt is the argument, the file or stdin", async () => {
  assert.equal(await readPrompt("do it", undefined, io("ignored")), "do it");
  assert.equal(await readPrompt(undefined, "prompt.md", io()), "Hallo Wörld\n");
  assert.equal(await readPrompt(undefined, "-", io("from stdin")), "from stdin");
  assert.equal(await readPrompt(undefined, undefined, io("piped")), "piped");
});

test("what is not UTF-8 is refused with the place of the first byte that is not", async () => {
  assert.deepEqual(await refused(readPrompt(undefined, "latin1.md", io())), {
    code: "invalid_request", error: "latin1.md is not UTF-8: byte 2 does not fit", hint: "convert it first, e.g. with: iconv -f LATIN1 -t UTF-8",
  });
  assert.deepEqual(await refused(readPrompt(undefined, undefined, io(Buffer.from([0x61, 0xc3, 0xa9, 0xff, 0x62])))), {
    code: "invalid_request", error: "stdin is not UTF-8: byte 3 does not fit", hint: "convert it first, e.g. with: iconv -f LATIN1 -t UTF-8",
  });
  assert.deepEqual(await refused(readPrompt(undefined, "utf16.md", io())), {
    code: "invalid_request", error: "utf16.md is not UTF-8: byte 0 does not fit", hint: "it looks like UTF-16; convert it with: iconv -f UTF-16 -t UTF-8",
  });
});

test("the first invalid byte, also in the middle and at the end of a character", () => {
  assert.deepEqual(
    [[0xff], [0x61, 0xe2, 0x82, 0x41], [0x61, 0xe2, 0x82], [0xc0, 0x80], [0xf5, 0x80], [0xed, 0xa0, 0x80]].map((bytes) => firstInvalidByte(Uint8Array.from(bytes))),
    [0, 3, 3, 0, 0, 1],
  );
});

test("no prompt, an empty one and two are usage errors", async () => {
  assert.deepEqual(await refused(readPrompt(undefined, undefined, io(" \n"))), {
    code: "usage", error: "stdin is empty", hint: 'beeuni run "what to do", or -f FILE, or pipe it in',
  });
  assert.deepEqual(await refused(readPrompt("a", "prompt.md", io())), {
    code: "usage", error: "the prompt came twice: as an argument and with -f", hint: "give one of them",
  });
  assert.deepEqual(await refused(readPrompt(undefined, "nowhere.md", io())), {
    code: "usage", error: "there is no file nowhere.md", hint: "-f takes the path of a file with the prompt",
  });
  const terminal = io();
  terminal.stdin.isTTY = true;
  assert.deepEqual(await refused(readPrompt(undefined, undefined, terminal)), {
    code: "usage", error: "no prompt", hint: 'beeuni run "what to do", or -f FILE, or pipe it in',
  });
});
