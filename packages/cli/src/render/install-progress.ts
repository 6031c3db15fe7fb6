import type { InstallProgress } from "@beeuni/harness";
import type { Sink } from "../io.ts";
import { duration } from "./numbers.ts";
import { truncate } from "./width.ts";

/** Milliseconds between two lines where a line can't be written over. */
const QUIET = 10_000;

/** Progress of an installation: one line that is written over on a terminal, a line now and then elsewhere. */
export class InstallProgressLine {
  readonly #out: Sink;
  #open = false;
  #phase: InstallProgress["phase"] | null = null;
  #saidAt = -Infinity;

  constructor(out: Sink) {
    this.#out = out;
  }

  show(progress: InstallProgress): void {
    const text = `beeuni: ${describe(progress)}`;
    if (this.#out.isTerminal) {
      this.#out.write(`\r\x1b[K${truncate(text, this.#out.columns - 1)}`);
      this.#open = true;
      if (progress.phase === "done") this[Symbol.dispose]();
    } else if (progress.phase !== this.#phase || progress.elapsedMs - this.#saidAt >= QUIET) {
      this.#out.write(`${text}\n`);
      this.#phase = progress.phase;
      this.#saidAt = progress.elapsedMs;
    }
  }

  /** Leaves the cursor on a line of its own. */
  [Symbol.dispose](): void {
    if (this.#open) this.#out.write("\n");
    this.#open = false;
  }
}

function describe({ harness, version, phase, elapsedMs, megabytes, expectedMegabytes }: InstallProgress): string {
  const what = `${harness} ${version}`;
  switch (phase) {
    case "waiting":
      return `another process is installing ${what}: waiting, ${duration(elapsedMs)}`;
    case "downloading":
      return `installing ${what}: ${Math.round(megabytes)} of about ${expectedMegabytes} MB, ${duration(elapsedMs)}`;
    case "verifying":
      return `installing ${what}: checking`;
    case "done":
      if (megabytes === 0) return `${what} was installed by the other process, ${duration(elapsedMs)}`;
      return `installed ${what}: ${Math.round(megabytes)} MB in ${duration(elapsedMs)}`;
  }
}
