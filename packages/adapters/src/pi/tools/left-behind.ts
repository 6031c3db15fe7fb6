import type { ProcessGroup } from "./process-group.ts";

/** The groups that a session's commands left running; the session ends them when it closes. */
export class LeftBehind {
  readonly #groups = new Set<ProcessGroup>();

  add(group: ProcessGroup): void {
    // A number that is free again may belong to somebody else: forget groups as soon as they are seen empty.
    for (const known of [...this.#groups, group]) {
      if (known.isAlive()) this.#groups.add(known);
      else {
        this.#groups.delete(known);
        known.release();
      }
    }
  }

  async stopAll(): Promise<void> {
    const groups = [...this.#groups];
    this.#groups.clear();
    await Promise.all(groups.map((group) => group.stop()));
  }
}
