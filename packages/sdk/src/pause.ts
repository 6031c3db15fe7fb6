/** The growing pause between attempts. Each is between half and all of its nominal length, so that clients don't come in step. */
export class Pause {
  #base = 200;
  #next = 200;
  readonly #longest = 10_000;

  /** The server's own wish (its `retry` field), milliseconds. */
  set base(milliseconds: number) {
    this.#base = this.#next = Math.min(Math.max(milliseconds, 10), this.#longest);
  }

  /** Something came: the next pause is a short one again. */
  reset(): void {
    this.#next = this.#base;
  }

  async wait(signal: AbortSignal | undefined): Promise<void> {
    const length = this.#next * (0.5 + Math.random() / 2);
    this.#next = Math.min(this.#next * 2, this.#longest);
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, length);
      signal?.addEventListener("abort", done);
      if (signal?.aborted === true) done();
    });
  }
}
