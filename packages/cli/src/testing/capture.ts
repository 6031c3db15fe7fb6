import { strictEqual } from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import picocolors from "picocolors";
import type { Environment, Io, Sink } from "../io.ts";

/** What tests see of a command: everything written, in order and by stream. */
export interface Captured {
  io: Io;
  stdout(): string;
  stderr(): string;
  bytes(): Buffer;
}

export interface CaptureOptions {
  columns?: number;
  terminal?: boolean;
  colour?: boolean;
  env?: Environment;
  stdin?: string | Uint8Array;
  cwd?: string;
}

export function captureSink(options: CaptureOptions = {}): { sink: Sink; bytes(): Buffer; text(): string } {
  const chunks: Buffer[] = [];
  return {
    sink: {
      write: (chunk) => void chunks.push(Buffer.from(chunk as string)),
      isTerminal: options.terminal ?? false,
      columns: options.columns ?? Infinity,
      colours: picocolors.createColors(options.colour ?? false),
      drained: async () => undefined,
    },
    bytes: () => Buffer.concat(chunks),
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

export function captureIo(options: CaptureOptions = {}): Captured {
  const out = captureSink(options);
  const err = captureSink(options);
  return {
    io: {
      stdout: out.sink,
      stderr: err.sink,
      stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin as string)]),
      env: options.env ?? {},
      cwd: options.cwd ?? "/",
      outputGone: new AbortController().signal,
    },
    stdout: out.text,
    stderr: err.text,
    bytes: out.bytes,
  };
}

const GOLDEN = new URL("../../golden/", import.meta.url);

/** Compares with `golden/<name>`; writes the file instead when UPDATE_GOLDEN is set (read the diff before committing). */
export function matchesGolden(name: string, text: string): void {
  const file = new URL(name, GOLDEN);
  if (process.env["UPDATE_GOLDEN"]) {
    mkdirSync(new URL(".", file), { recursive: true });
    writeFileSync(file, text);
  }
  strictEqual(text, readFileSync(file, "utf8"), `golden/${name}`);
}
