import { constants } from "node:fs";
import { access, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { BeeuniError } from "@beeuni/protocol/errors";

/**
 * The file of `-o`. Checked before the turn runs, so that no answer is paid for that cannot be kept; written in one
 * step (another name, then renamed), so that a reader sees the old answer or the new one, never half.
 */
export class AnswerFile {
  readonly #path: string;
  readonly #regular: boolean;

  private constructor(path: string, regular: boolean) {
    this.#path = path;
    this.#regular = regular;
  }

  static async prepare(file: string, cwd: string): Promise<AnswerFile> {
    if (file === "-") throw new BeeuniError("usage", "-o takes a file, and - is none", { hint: "the answer is on stdout anyway; a file of that name is ./-" });
    // Through a link, so that the link stays one.
    const path = await realpath(resolve(cwd, file)).catch(() => resolve(cwd, file));
    const known = await stat(path).catch(() => undefined);
    if (known?.isDirectory()) throw new BeeuniError("usage", `${file} is a folder`, { hint: "-o takes the path of a file" });
    const regular = known === undefined || known.isFile();
    try {
      await access(regular ? dirname(path) : path, constants.W_OK);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      throw new BeeuniError("storage_failed", missing ? `there is no folder ${dirname(path)}` : `${dirname(path)} is not writable`, {
        hint: `choose another place for -o ${file}`,
        cause: error,
      });
    }
    return new AnswerFile(path, regular);
  }

  async write(answer: string): Promise<void> {
    const text = answer.endsWith("\n") ? answer : `${answer}\n`;
    // A device or a pipe is written to, not replaced.
    if (!this.#regular) return writeFile(this.#path, text);
    const draft = `${this.#path}.${process.pid}.tmp`;
    try {
      await writeFile(draft, text, { flush: true });
      await rename(draft, this.#path);
    } catch (error) {
      await rm(draft, { force: true });
      throw new BeeuniError("storage_failed", `cannot write ${this.#path}: ${(error as Error).message}`, {
        hint: "the answer is in the session: beeuni session messages shows it",
        cause: error,
      });
    }
  }
}
