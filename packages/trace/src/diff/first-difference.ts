/** Where two JSON values part: a JSON pointer; for two strings also how many characters they share from the start. */
export interface Difference {
  path: string;
  sharedCharacters?: number;
}

/** Null when the values are equal, the order of fields included. */
export function firstDifference(before: unknown, after: unknown, path = ""): Difference | null {
  if (Object.is(before, after)) return null;
  if (typeof before === "string" && typeof after === "string") return { path, sharedCharacters: sharedCharacters(before, after) };
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) return { path };
  const old = Object.entries(before);
  const now = Object.entries(after);
  for (let index = 0; index < Math.max(old.length, now.length); index++) {
    const [oldName, oldValue] = old[index] ?? [];
    const [newName, newValue] = now[index] ?? [];
    if (oldName !== newName) return { path: `${path}/${escape(newName ?? oldName!)}` };
    const inside = firstDifference(oldValue, newValue, `${path}/${escape(oldName!)}`);
    if (inside !== null) return inside;
  }
  return null;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function sharedCharacters(before: string, after: string): number {
  let at = 0;
  while (at < before.length && at < after.length && before[at] === after[at]) at++;
  return at;
}
