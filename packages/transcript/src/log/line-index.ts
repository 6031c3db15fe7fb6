import { LOG_START, type LinePosition } from "./scan.ts";

const EVERY = 256;

/** Where every 256th line begins, so that reading from any number on costs little. Gaps only make reading slower. */
export class LineIndex {
  readonly #marks: LinePosition[] = [LOG_START];

  /** Positions come in ascending order. */
  add(position: LinePosition): void {
    if (position.seq - this.#marks.at(-1)!.seq >= EVERY) this.#marks.push(position);
  }

  /** The last known position at or before the event after `seq`. */
  before(seq: number): LinePosition {
    let low = 0;
    for (let high = this.#marks.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if (this.#marks[middle]!.seq <= seq) low = middle;
      else high = middle - 1;
    }
    return this.#marks[low]!;
  }
}
