import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { BeeuniError } from "@beeuni/protocol/errors";
import type { Io } from "../io.ts";

/**
 * The prompt: the argument, the file of `-f` (`-` is stdin), or stdin when it is not a terminal. Exactly one of them.
 * Throws `usage` when there is none or two, `invalid_request` when it is not UTF-8.
 */
export async function readPrompt(argument: string | undefined, file: string | undefined, io: Io): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw new BeeuniError("usage", "the prompt came twice: as an argument and with -f", { hint: "give one of them" });
  }
  if (argument !== undefined) return wholePrompt(argument, "the prompt");
  if (file !== undefined && file !== "-") return wholePrompt(decode(await readPromptFile(file, io.cwd), file), file);
  if (file === undefined && io.stdin.isTTY) {
    throw new BeeuniError("usage", "no prompt", { hint: 'beeuni run "what to do", or -f FILE, or pipe it in' });
  }
  return wholePrompt(decode(await readAll(io), "stdin"), "stdin");
}

function wholePrompt(text: string, where: string): string {
  if (text.trim() === "") throw new BeeuniError("usage", `${where} is empty`, { hint: 'beeuni run "what to do", or -f FILE, or pipe it in' });
  return text;
}

async function readPromptFile(file: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") throw new BeeuniError("usage", `there is no file ${file}`, { hint: "-f takes the path of a file with the prompt", cause: error });
    if (code === "EISDIR") throw new BeeuniError("usage", `${file} is a folder`, { hint: "-f takes the path of a file with the prompt", cause: error });
    throw new BeeuniError("invalid_request", `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

async function readAll(io: Io): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, where: string): string {
  if (isUtf8(bytes)) return bytes.toString("utf8").replace(/^\ufeff/, "");
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  throw new BeeuniError("invalid_request", `${where} is not UTF-8: byte ${firstInvalidByte(bytes)} does not fit`, {
    hint: utf16 ? "it looks like UTF-16; convert it with: iconv -f UTF-16 -t UTF-8" : "convert it first, e.g. with: iconv -f LATIN1 -t UTF-8",
  });
}

/**
 * Offset (from 0) of the first byte that cannot stand where it stands in UTF-8; the length when the text only breaks
 * off. A decoder in streaming mode takes every prefix up to there, so the place is found by halving.
 */
export function firstInvalidByte(bytes: Uint8Array): number {
  const takes = (length: number): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (takes(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
