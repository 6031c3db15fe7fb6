import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MAX_BYTES, MAX_LINES, tailOf } from "./limits.ts";

/** A runaway command must not fill the disk. */
const MAX_FILE_BYTES = 100 * 1_024 * 1_024;

export interface CollectedOutput {
  /** What the model reads: the end of the output, with a note on what is missing. */
  text: string;
  bytes: number;
  lines: number;
  truncated: boolean;
  /** Holds the whole output when it was truncated. */
  file: string | null;
}

/**
 * Takes the output of a command as it comes. The end of it stays in memory; all of it goes to a file as soon as it is more
 * than a model gets, so that nothing is lost. Writes are synchronous: a command that is faster than the disk waits. Where the
 * file can't be written (a full disk), the command goes on and the note says how much was kept.
 */
export class OutputCollector {
  readonly #folder: string;
  readonly #name: string;
  readonly #decoder = new TextDecoder();
  #recent = "";
  #early: Uint8Array[] | null = [];
  #bytes = 0;
  #newlines = 0;
  #written = 0;
  #file: { path: string; fd: number } | null = null;
  /** Why the file is not whole, once that is so. */
  #failure: string | null = null;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    const text = this.#decoder.decode(chunk, { stream: true });
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#newlines++;
    this.#recent += text;
    if (this.#recent.length > 4 * MAX_BYTES) this.#recent = this.#recent.slice(-2 * MAX_BYTES);
    if (this.#early !== null && (this.#bytes > MAX_BYTES || this.#newlines > MAX_LINES)) this.#openFile();
    if (this.#early === null) this.#append(chunk);
    else this.#early.push(chunk);
  }

  /** The end of the output so far, short enough to be sent around often. */
  preview(): string {
    return tailOf(this.#recent, 200, 8 * 1_024).text;
  }

  /** The final state. Closes the file. */
  end(): CollectedOutput {
    this.#recent += this.#decoder.decode();
    const bounded = tailOf(this.#recent);
    const lines = this.#newlines + (this.#recent === "" || this.#recent.endsWith("\n") ? 0 : 1);
    const truncated = bounded.truncated || this.#early === null;
    if (truncated && this.#early !== null) this.#openFile();
    const file = this.#file?.path ?? null;
    if (this.#file !== null) closeSync(this.#file.fd);
    this.#file = null;
    if (!truncated) return { text: bounded.text, bytes: this.#bytes, lines, truncated, file: null };
    const whole = this.#written < this.#bytes ? `Its first ${this.#written} bytes are` : "The whole output is";
    const where = file === null ? `The rest could not be kept: ${this.#failure}.` : `${whole} in ${file}; read it in parts or search it.`;
    const note = `[Output truncated: ${this.#bytes} bytes, ${lines} lines; this is its end. ${where}]`;
    return { text: `${note}\n${bounded.text}`, bytes: this.#bytes, lines, truncated, file };
  }

  #openFile(): void {
    const path = join(this.#folder, `${this.#name}.txt`);
    const early = this.#early ?? [];
    this.#early = null;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#file = { path, fd: openSync(path, "w", 0o600) };
    } catch (thrown) {
      this.#failure = (thrown as Error).message;
    }
    for (const chunk of early) this.#append(chunk);
  }

  #append(chunk: Uint8Array): void {
    const room = MAX_FILE_BYTES - this.#written;
    if (this.#file === null || this.#failure !== null || room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    try {
      for (let done = 0; done < part.length; ) {
        const size = writeSync(this.#file.fd, part, done);
        done += size;
        this.#written += size;
      }
    } catch (thrown) {
      this.#failure = (thrown as Error).message;
    }
  }
}
