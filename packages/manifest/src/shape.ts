/** A map of the file, as opposed to a list or a plain value. */
export function isTable(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names of agents, triggers, connectors, templates and apps. */
export const SLUG = /^[a-z0-9][a-z0-9_-]{0,127}$/;

/** Whether a value read from YAML ends: an alias may stand inside of what it names, and then it does not. */
export function isTree(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/** A value as messages show it. */
export function got(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
