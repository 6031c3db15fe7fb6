/** Prefix with its `_` and this many digits: ids of one minute still differ, and a person can still type it. */
const SHORTEST = 12;

/** The shortest beginning of each id that names it among these, at least 12 characters. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(common(id, sorted[index - 1] ?? ""), common(id, sorted[index + 1] ?? ""));
      return [id, id.slice(0, Math.max(SHORTEST, shared + 1))];
    }),
  );
}

function common(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
