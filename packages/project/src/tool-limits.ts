import type { ToolAccess } from "@beeuni/protocol";

/** What of a front matter's `tools` could be read, and what could not. */
export interface ToolLimit {
  access: ToolAccess;
  /** Entries with a limit in parentheses, which does not become a rule: `Bash(git:*)`. */
  narrowed: string[];
}

/**
 * Reads `tools` as other programs write it: a comma string, a list, or a map of booleans. Names lose their capitals
 * (`Read` is `read`). Null when it is none of these.
 */
export function readToolLimit(value: unknown): ToolLimit | null {
  if (value === null || value === "") return { access: { kind: "all" }, narrowed: [] };
  if (typeof value === "string") return fromNames(value.split(/,(?![^(]*\))/));
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string") ? fromNames(value) : null;
  if (typeof value !== "object" || !Object.values(value).every((entry) => typeof entry === "boolean")) return null;
  const off = Object.entries(value).filter(([, on]) => on === false).map(([name]) => name.toLowerCase());
  const on = Object.entries(value).filter(([, isOn]) => isOn === true).map(([name]) => name.toLowerCase());
  if (off.includes("*")) return { access: on.length === 0 ? { kind: "none" } : { kind: "only", names: on }, narrowed: [] };
  return { access: off.length === 0 ? { kind: "all" } : { kind: "exclude", names: off }, narrowed: [] };
}

function fromNames(entries: readonly string[]): ToolLimit {
  const written = entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
  const names = [...new Set(written.map((entry) => entry.replace(/\(.*$/, "").toLowerCase()))];
  const narrowed = written.filter((entry) => entry.includes("("));
  if (names.includes("*") || names.includes("all")) return { access: { kind: "all" }, narrowed };
  return { access: names.length === 0 ? { kind: "none" } : { kind: "only", names }, narrowed };
}

/** The tools that both allow. */
export function intersectAccess(a: ToolAccess, b: ToolAccess): ToolAccess {
  if (a.kind === "all") return b;
  if (b.kind === "all") return a;
  if (a.kind === "none" || b.kind === "none") return { kind: "none" };
  if (a.kind === "exclude" && b.kind === "exclude") return { kind: "exclude", names: [...new Set([...a.names, ...b.names])] };
  const [only, other] = a.kind === "only" ? [a, b] : [b as Extract<ToolAccess, { kind: "only" }>, a];
  const names = only.names.filter((name) => other.names.includes(name) === (other.kind === "only"));
  return names.length === 0 ? { kind: "none" } : { kind: "only", names };
}
