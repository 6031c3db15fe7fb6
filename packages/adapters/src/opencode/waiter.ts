/** Conditions that are looked at again whenever there is news. */
export class Waiter {
  readonly #waiting = new Set<() => void>();

  /** There is news. */
  tell(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves when it holds, or after so many milliseconds. */
  async until(holds: () => boolean, ms: number): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => { if (holds()) done(); };
      const timer = setTimeout(done, ms);
      this.#waiting.add(look);
    });
  }
}
