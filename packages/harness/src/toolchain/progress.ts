import { folderMegabytes } from "./folder-size.ts";
import type { InstallProgress, ToolchainOwner } from "./types.ts";

const INTERVAL_MS = 500;
const LONGEST_INTERVAL_MS = 2000;

/** Tells how an install goes: at every change of phase, and while npm runs about every half second. */
export class ProgressReporter implements Disposable {
  private readonly owner: ToolchainOwner;
  private readonly report: ((progress: InstallProgress) => void) | undefined;
  private readonly startedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private megabytes = 0;

  constructor(owner: ToolchainOwner, report: ((progress: InstallProgress) => void) | undefined) {
    this.owner = owner;
    this.report = report;
  }

  tell(phase: InstallProgress["phase"], megabytes = this.megabytes): void {
    this.megabytes = megabytes;
    const { id, toolchain } = this.owner;
    this.report?.({
      harness: id, version: toolchain.version, phase, elapsedMs: Math.round(performance.now() - this.startedAt), megabytes, expectedMegabytes: toolchain.megabytes,
    });
  }

  /** Measures the folder until disposed. Counting thousands of files takes time, so the pause grows with it, up to two seconds. */
  watch(folder: string): Disposable {
    let isWatching = true;
    const measure = async (): Promise<void> => {
      const before = performance.now();
      const megabytes = await folderMegabytes(folder);
      if (!isWatching) return;
      this.tell("downloading", megabytes);
      this.timer = setTimeout(() => void measure(), Math.min(Math.max(INTERVAL_MS, (performance.now() - before) * 5), LONGEST_INTERVAL_MS));
    };
    this.tell("downloading");
    if (this.report !== undefined) this.timer = setTimeout(() => void measure(), INTERVAL_MS);
    return { [Symbol.dispose]: () => {
      isWatching = false;
      clearTimeout(this.timer);
    } };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.timer);
  }
}
