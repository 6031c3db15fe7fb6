/**
 * Ids of tool calls, unique in a session. Some providers count anew in every answer (`call_0`), some send none.
 */
export class CallIds {
  readonly #seen: Set<string>;
  #made = 0;

  constructor(seen: Iterable<string> = []) {
    this.#seen = new Set(seen);
  }

  /** The id itself when it is new, else one made from it. */
  claim(id: string): string {
    let unique = id;
    while (unique === "" || this.#seen.has(unique)) unique = this.#next(id);
    this.#seen.add(unique);
    return unique;
  }

  /** OpenAI's Responses join two ids with `|`; the second is the provider's own and stays. */
  #next(id: string): string {
    const bar = id.indexOf("|");
    const [call, item] = bar < 0 ? [id, ""] : [id.slice(0, bar), id.slice(bar)];
    return `${call === "" ? "call" : call}_${++this.#made}${item}`;
  }
}
