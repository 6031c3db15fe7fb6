/** A map of the file, as opposed to a list or a plain value. */
export function isTable(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names of agents, triggers, connectors, templates and apps. */
export const SLUG = /^[a-z0-9][a-z0-9_-]{0,127}$/;

/** A value as messages show it. */
export function got(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
