/** Providers count their tool calls anew in every answer, or name them all alike. Here an id is used once in a session. */
export class CallIds {
  readonly #used: Set<string>;

  constructor(used: Iterable<string> = []) {
    this.#used = new Set(used);
  }

  /** The id itself, or the first of `id~2`, `id~3`, … that is free. */
  claim(id: string): string {
    let free = id;
    for (let count = 2; this.#used.has(free); count++) free = `${id}~${count}`;
    this.#used.add(free);
    return free;
  }
}
