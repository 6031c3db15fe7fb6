import { firstDifference, type Difference } from "./first-difference.ts";
import type { Element } from "./request-sections.ts";

/** Indices count from 0 in the request that holds the element. `difference`: the first place where a rewritten element differs. */
export type Change =
  | { kind: "added"; after: number; value: unknown }
  | { kind: "removed"; before: number; value: unknown }
  | { kind: "rewritten"; before: number; after: number; from: unknown; to: unknown; difference: Difference };

/** Above this many comparisons a gap is paired by position instead. */
const MAX_TABLE = 4_000_000;

/** What turns one list into the other, in the order of the later one. Equal elements are found by their longest common subsequence. */
export function diffSequence(before: readonly Element[], after: readonly Element[]): Change[] {
  const changes: Change[] = [];
  let b = 0;
  let a = 0;
  for (const [matchBefore, matchAfter] of [...commonElements(before, after), [before.length, after.length] as const]) {
    changes.push(...gap(before, b, matchBefore, after, a, matchAfter));
    b = matchBefore + 1;
    a = matchAfter + 1;
  }
  return changes;
}

/** Between two equal elements: the i-th removed and the i-th added of the same kind are one rewritten. */
function gap(before: readonly Element[], b: number, bEnd: number, after: readonly Element[], a: number, aEnd: number): Change[] {
  const changes: Change[] = [];
  let at = a;
  for (let from = b; from < bEnd; from++) {
    const old = before[from]!;
    const partner = after.findIndex((candidate, index) => index >= at && index < aEnd && candidate.kind === old.kind);
    if (partner < 0) {
      changes.push({ kind: "removed", before: from, value: old.value });
      continue;
    }
    for (; at < partner; at++) changes.push({ kind: "added", after: at, value: after[at]!.value });
    const now = after[partner]!;
    changes.push({
      kind: "rewritten", before: from, after: partner, from: old.value, to: now.value, difference: firstDifference(old.canonical, now.canonical)!,
    });
    at = partner + 1;
  }
  for (; at < aEnd; at++) changes.push({ kind: "added", after: at, value: after[at]!.value });
  return changes;
}

/** Index pairs of equal elements, ascending in both. */
function commonElements(before: readonly Element[], after: readonly Element[]): [number, number][] {
  let start = 0;
  while (start < before.length && start < after.length && before[start]!.key === after[start]!.key) start++;
  let tail = 0;
  while (
    tail < before.length - start && tail < after.length - start &&
    before[before.length - 1 - tail]!.key === after[after.length - 1 - tail]!.key
  ) tail++;
  const pairs: [number, number][] = [];
  for (let i = 0; i < start; i++) pairs.push([i, i]);
  pairs.push(...longestCommon(before, after, start, before.length - tail, after.length - tail));
  for (let i = tail; i > 0; i--) pairs.push([before.length - i, after.length - i]);
  return pairs;
}

function longestCommon(before: readonly Element[], after: readonly Element[], start: number, bEnd: number, aEnd: number): [number, number][] {
  const rows = bEnd - start;
  const columns = aEnd - start;
  if (rows * columns > MAX_TABLE) return [];
  const width = columns + 1;
  /** length[i][j]: of what is common behind before[start + i] and after[start + j]. */
  const length = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const equal = before[start + i]!.key === after[start + j]!.key;
      length[i * width + j] = equal
        ? length[(i + 1) * width + j + 1]! + 1
        : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (before[start + i]!.key === after[start + j]!.key) pairs.push([start + i++, start + j++]);
    else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}
