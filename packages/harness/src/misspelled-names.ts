import type { AgentSpec } from "@beeuni/protocol";
import type { Harness } from "./contract.ts";

/** A name in an agent's rules or tool list that is no tool's, but one slip away from one. */
export interface MisspelledName {
  /** `permission` or `tools`. */
  field: "permission" | "tools";
  name: string;
  meant: string;
}

/** Keys that are no tool's. */
const OTHER_KEYS = ["*", "external_directory"];

/**
 * A rule for `bsh` holds for nothing, and nothing says so when the agent runs. Names far from every tool's are left
 * alone: they may be another harness's. `hostTools` are the names of the project's tools.
 */
export function misspelledNames(agent: Pick<AgentSpec, "permissions" | "tools">, harnesses: readonly Pick<Harness, "builtinTools" | "dialect">[], hostTools: readonly string[]): MisspelledName[] {
  const tools = [...harnesses.flatMap(({ builtinTools }) => builtinTools), ...hostTools];
  const keys = [...tools, ...harnesses.flatMap(({ dialect }) => Object.values(dialect.keys).flat()), ...OTHER_KEYS];
  const listed = "names" in agent.tools ? agent.tools.names : [];
  const find = (field: MisspelledName["field"], names: readonly string[], known: readonly string[]): MisspelledName[] =>
    [...new Set(names)].flatMap((name) => {
      const meant = known.includes(name) ? undefined : known.find((candidate) => isOneSlip(name.toLowerCase(), candidate));
      return meant === undefined ? [] : [{ field, name, meant }];
    });
  return [...find("permission", agent.permissions.map(({ permission }) => permission), keys), ...find("tools", listed, tools)];
}

/** One letter too much, too little or wrong, or two in the wrong order. */
function isOneSlip(wrong: string, right: string): boolean {
  const shorter = Math.min(wrong.length, right.length);
  let start = 0;
  while (start < shorter && wrong[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && wrong.at(-1 - end) === right.at(-1 - end)) end++;
  const [was, is] = [wrong.slice(start, wrong.length - end), right.slice(start, right.length - end)];
  return (was.length <= 1 && is.length <= 1) || (was.length === 2 && is === was[1]! + was[0]!);
}
