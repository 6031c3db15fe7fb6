import type { AgentSpec, PermissionAction, PermissionRule } from "@beeuni/protocol";
import { alwaysPattern, type Grant, isGranted } from "./grants.ts";
import type { PermissionDialect } from "./contract.ts";
import { isLiteral, matchesGlob } from "./glob.ts";
import { type Subject, subjectsOf } from "./subject.ts";
import { mayUseTool } from "./tool-access.ts";

/** What decides a call: the agent's rules and tool access, read the way its harness reads them. */
export interface PermissionPolicy {
  dialect: PermissionDialect;
  agent: Pick<AgentSpec, "name" | "permissions" | "tools">;
  /** Absolute path that relative paths of a call start from. */
  workspace: string;
}

export interface PermissionCall {
  tool: string;
  input: { [key: string]: unknown };
  /** Permission keys of this call, own key first, when they depend on its arguments; else the dialect's. */
  keys?: readonly string[];
}

/**
 * The decision for one call. `permission` is the key that the decision is about; `rule` the rule that made it, null when
 * no rule matches (which allows). `message` is what the model reads.
 */
export type PermissionDecision =
  | { action: "allow"; permission: string; rule: PermissionRule | null; by: "default" | "rule" | "grant" }
  | { action: "deny"; permission: string; rule: PermissionRule | null; by: "tools" | "rule" | "unaskable"; message: string }
  | { action: "ask"; permission: string; rule: PermissionRule | null; patterns: string[]; always: string[] };

export const deniedMessage = (tool: string): string => `The project policy denies this ${tool} call.`;
export const rejectedMessage = "The user rejected this tool call.";

/**
 * Decides one tool call. Pure. Tool access first, then the rules, then what a person stored with "always"; a stored
 * "always" only ever answers an `ask`, so a deny always beats it. Of several subjects (the commands of a shell line, a
 * list of paths) the strictest verdict counts, and a path outside the workspace has the rules of `external_directory` to pass too.
 */
export function decidePermission(policy: PermissionPolicy, call: PermissionCall, grants: readonly Grant[] = []): PermissionDecision {
  const { dialect, agent } = policy;
  const keys = call.keys ?? permissionKeys(dialect, call.tool);
  const own = keys[0]!;
  const message = deniedMessage(call.tool);
  if (!mayUseTool(agent.tools, call.tool)) return { action: "deny", permission: own, rule: null, by: "tools", message };

  const verdicts = verdictsOf(policy, call, keys);
  const denied = verdicts.find(({ action }) => action === "deny");
  if (denied !== undefined) return { action: "deny", permission: keyOf(denied.rule, own), rule: denied.rule, by: "rule", message };

  const asking = verdicts.filter(({ action }) => action === "ask");
  const first = asking[0];
  if (first === undefined) {
    const rule = verdicts.find((verdict) => verdict.rule !== null)?.rule ?? null;
    return { action: "allow", permission: keyOf(rule, own), rule, by: rule === null ? "default" : "rule" };
  }
  const unaskable = asking.find((verdict) => verdict.keys.some((key) => dialect.unaskable.includes(key)));
  if (unaskable !== undefined) return { action: "deny", permission: keyOf(unaskable.rule, own), rule: unaskable.rule, by: "unaskable", message };
  const open = asking.filter((verdict) => !isGranted(grants, agent.name, [...verdict.keys, keyOf(verdict.rule, own)], verdict.subject));
  const [next] = open;
  if (next === undefined) return { action: "allow", permission: keyOf(first.rule, own), rule: first.rule, by: "grant" };
  return {
    action: "ask", permission: keyOf(next.rule, own), rule: next.rule,
    patterns: distinct(open.flatMap(({ subject }) => (subject === null ? [] : [subject.text]))),
    always: distinct(open.flatMap(({ subject }) => alwaysPattern(subject) ?? [])),
  };
}

/** Permission keys of a tool: its own name first, then the keys that it shares with others. `*` comes after them. */
export function permissionKeys(dialect: PermissionDialect, tool: string): readonly string[] {
  const keys = Object.hasOwn(dialect.keys, tool) ? dialect.keys[tool]! : [];
  return keys.includes(tool) ? keys : [tool, ...keys];
}

/** The key whose rules a path outside the workspace must pass too. Without rules for it there is nothing to pass. */
const OUTSIDE = "external_directory";

interface Verdict {
  action: PermissionAction;
  /** Keys whose grants answer it. */
  keys: readonly string[];
  rule: PermissionRule | null;
  /** null: the tool has no subject. */
  subject: Subject | null;
}

function verdictsOf(policy: PermissionPolicy, call: PermissionCall, keys: readonly string[]): Verdict[] {
  const { dialect, agent, workspace } = policy;
  const sets = subjectsOf(call.tool, call.input, dialect, workspace);
  if (sets === null) return [verdictWithoutSubject(agent.permissions, keys, dialect)];
  const outsideRules = agent.permissions.filter(({ permission }) => permission === OUTSIDE);
  const verdictsFor = (subject: Subject): Verdict[] => {
    const verdict = verdictFor(ruleFor(agent.permissions, keys, subject, dialect), subject, keys);
    if (subject.isOutside) return [verdict, verdictFor(ruleFor(outsideRules, [OUTSIDE], subject, dialect), subject, [OUTSIDE])];
    if (subject.bare === null) return [verdict];
    const bare = verdictFor(ruleFor(agent.permissions, keys, subject.bare, dialect), subject.bare, keys);
    return bare.rule === verdict.rule ? [verdict] : [verdict, bare];
  };
  return sets.flatMap(({ whole, commands }) => {
    const verdicts = verdictsFor(whole);
    const [{ rule, action }] = verdicts as [Verdict];
    // A rule that spells out the whole line was written for exactly this line.
    if (commands.length === 0 || (rule !== null && isLiteral(rule.pattern))) return verdicts;
    const parts = commands.flatMap(verdictsFor);
    // The line as a whole adds nothing when the same rule already speaks for one of its commands.
    const isRepeated = action !== "deny" && !whole.opaque && parts.some((part) => part.rule === rule);
    return isRepeated ? parts : [...verdicts, ...parts];
  });
}

function verdictFor(rule: PermissionRule | null, subject: Subject, keys: readonly string[]): Verdict {
  const vouches = rule === null || rule.pattern === "*" || isLiteral(rule.pattern) || !subject.opaque;
  const action = rule?.action ?? "allow";
  return { action: action === "allow" && !vouches ? "ask" : action, rule, subject, keys };
}

/** The rule that decides for one subject, or null. */
function ruleFor(rules: readonly PermissionRule[], keys: readonly string[], subject: Subject, dialect: PermissionDialect): PermissionRule | null {
  const matches = (rule: PermissionRule): boolean => subject.spellings.some((text) => matchesGlob(normalPattern(rule.pattern, subject), text));
  if (dialect.order === "last-wins") {
    return rules.findLast((rule) => keys.some((key) => matchesGlob(rule.permission, key)) && matches(rule)) ?? null;
  }
  // A key whose patterns all miss leaves the decision to the next key: `{"*": deny, bash: {"git *": allow}}` denies `ls`.
  for (const key of [...keys, "*"]) {
    const matching = rules.filter((rule) => rule.permission === key && matches(rule));
    if (matching.length > 0) return matching.sort(byPatternStrength).at(-1)!;
  }
  return null;
}

/** Weakest first: shorter patterns, then by name; of equal ones the later in the file is the stronger. */
function byPatternStrength(a: PermissionRule, b: PermissionRule): number {
  if (a.pattern.length !== b.pattern.length) return a.pattern.length - b.pattern.length;
  return a.pattern < b.pattern ? -1 : a.pattern > b.pattern ? 1 : 0;
}

/** `./src/*` in a rule for paths means `src/*`. */
function normalPattern(pattern: string, subject: Subject): string {
  return subject.kind === "path" && pattern.startsWith("./") ? pattern.slice(2) : pattern;
}

/**
 * With nothing to test patterns against, `*` decides; but when any other pattern of the key could have meant ask or
 * deny, the call is asked for at least.
 */
function verdictWithoutSubject(rules: readonly PermissionRule[], keys: readonly string[], dialect: PermissionDialect): Verdict {
  const groups = dialect.order === "last-wins"
    ? [rules.filter((rule) => keys.some((key) => matchesGlob(rule.permission, key)))]
    : [...keys, "*"].map((key) => rules.filter((rule) => rule.permission === key));
  for (const group of groups) {
    const general = group.findLast((rule) => rule.pattern === "*") ?? null;
    if (general?.action === "deny") return { action: "deny", rule: general, subject: null, keys };
    const narrow = group.find((rule) => rule.pattern !== "*" && rule.action !== "allow");
    if (narrow !== undefined) return { action: "ask", rule: narrow, subject: null, keys };
    if (general !== null) return { action: general.action, rule: general, subject: null, keys };
  }
  return { action: "allow", rule: null, subject: null, keys };
}

function keyOf(rule: PermissionRule | null, own: string): string {
  return rule === null || rule.permission.includes("*") ? own : rule.permission;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
