import type { ToolAccess } from "@beeuni/protocol";
import type { ManifestDocument } from "../document.ts";
import type { Path } from "../place.ts";
import { isTable } from "../shape.ts";
import { SYSTEM_TOOLS } from "./tools.ts";

/**
 * `agents.<name>.tools`: `all` (also when left out), `none`, a list (`*` in it means all), `{exclude: […]}`, or the older
 * map of tool name → boolean. A malformed value gives no tool at all: the agent must not get more than was meant.
 */
export function readToolAccess(value: unknown, path: Path, document: ManifestDocument): ToolAccess {
  if (value === undefined) return { kind: "all" };
  if (typeof value === "string") return readWord(value, path, document);
  if (Array.isArray(value)) {
    const names = readNames(value, path, document);
    return names === null ? { kind: "none" } : names.includes("*") ? { kind: "all" } : names.length === 0 ? { kind: "none" } : { kind: "only", names };
  }
  if (isTable(value) && Array.isArray(value["exclude"]) && Object.keys(value).length === 1) {
    const names = readNames(value["exclude"], [...path, "exclude"], document);
    return names === null || names.includes("*") ? { kind: "none" } : names.length === 0 ? { kind: "all" } : { kind: "exclude", names };
  }
  if (isTable(value) && Object.values(value).every((entry) => typeof entry === "boolean")) {
    const names = Object.keys(value).filter((name) => value[name] === false);
    return names.includes("*") ? { kind: "none" } : names.length === 0 ? { kind: "all" } : { kind: "exclude", names };
  }
  document.error(path, "must be \"all\", \"none\", a list of tool names, or `exclude` with a list of tool names.");
  return { kind: "none" };
}

function readWord(value: string, path: Path, document: ManifestDocument): ToolAccess {
  const word = value.trim().toLowerCase();
  if (word === "all" || word === "*") return { kind: "all" };
  if (word !== "none" && word !== "") document.error(path, "tools string must be \"all\" or \"none\" (or an array of names).");
  return { kind: "none" };
}

function readNames(list: unknown[], path: Path, document: ManifestDocument): string[] | null {
  const names = list.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "").map((name) => name.trim());
  if (names.length === list.length) return names;
  document.error(path, list.some((entry) => typeof entry !== "string") ? "tools must be an array of strings, \"all\", or \"none\"." : "tools entries must be non-empty strings.");
  return null;
}

/** Warns of Beeuni tools that an agent lists and the project does not load. */
export function warnOfUnloadedTools(agent: string, access: ToolAccess, loaded: readonly string[], document: ManifestDocument): void {
  if (access.kind !== "only") return;
  for (const name of access.names.filter((candidate) => (SYSTEM_TOOLS as readonly string[]).includes(candidate) && !loaded.includes(candidate))) {
    document.warning(["agents", agent, "tools"],
      `"${name}" is a Beeuni tool this project does not load: add \`${name}: beeuni:${name}\` under the top-level \`tools\`, or remove it here.`);
  }
}
