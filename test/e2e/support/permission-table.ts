import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ACTIONS = ["allow", "ask", "deny"] as const;
export type Action = (typeof ACTIONS)[number];

/** One call, and how to see in the workspace (or in what only the real execution can know) how often it ran. */
export interface TableCall {
  tool: string;
  input: { [key: string]: unknown };
  /** What a rule's pattern is tested against. */
  subject: string;
  /** Files that must be there before. */
  needs?: { [path: string]: string };
  runs(workspace: string, output: string): number;
}

const lines = (file: string): number => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
const secret = (name: string): string => `secret-of-${name}`;

/** The tools of the table: each leaves a trace of its own execution. `name` is unique in the table. */
const KINDS: { readonly [tool: string]: (name: string) => Omit<TableCall, "tool"> } = {
  bash: (name) => ({ input: { command: `mark ${name}` }, subject: `mark ${name}`, runs: (workspace) => lines(join(workspace, `marks/${name}`)) }),
  write: (name) => ({ input: { path: name, content: "written" }, subject: name, runs: (workspace) => Number(existsSync(join(workspace, name))) }),
  edit: (name) => ({
    input: { path: name, edits: [{ oldText: "old\n", newText: "old\nnew\n" }] }, subject: name, needs: { [name]: "old\n" },
    runs: (workspace) => lines(join(workspace, name)) - 1,
  }),
  read: (name) => ({ input: { path: name }, subject: name, needs: { [name]: secret(name) }, runs: (_, output) => Number(output.includes(secret(name))) }),
  glob: (name) => ({ input: { pattern: "*", path: name }, subject: name, needs: { [`${name}/${secret(name)}`]: "" }, runs: (_, output) => Number(output.includes(secret(name))) }),
  grep: (name) => ({ input: { pattern: "secret", path: name }, subject: name, needs: { [`${name}/file`]: secret(name) }, runs: (_, output) => Number(output.includes(secret(name))) }),
  note: (name) => ({ input: { path: name }, subject: name, runs: (workspace) => lines(join(workspace, `marks/${name}`)) }),
};
export const TOOLS = Object.keys(KINDS);

/** A project tool that leaves a line for each call. */
export const NOTE_TOOL = `import { appendFile } from "node:fs/promises";
export default {
  description: "Notes a path.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: ({ path }: { path: string }, { directory }: { directory: string }) => appendFile(directory + "/marks/" + path, "x\\n"),
};
`;

export type Rule = readonly [key: string, pattern: string, action: Action];

/** One agent of the table: its rules in the order of its file, and what it calls. */
export interface Row {
  agent: string;
  rules: readonly Rule[];
  calls: readonly TableCall[];
}

/**
 * tool × patterns × actions, in both orders. An agent has rules for several tools at once, each tool another pair of actions,
 * and over all agents each tool has every pair. It calls each tool twice: the special pattern covers the first call only.
 */
export function tableRows(): Row[] {
  const rows: Row[] = [];
  const add = (about: string, tools: readonly string[], rules: (tool: string, agent: string, index: number) => Rule[], more: readonly Rule[] = []): void => {
    for (const order of ["ab", "ba"]) {
      const agent = `${about}-${order}`;
      const written = [...more, ...tools.flatMap((tool, index) => rules(tool, agent, index))];
      const call = (tool: string, letter: string): TableCall => ({ tool, ...KINDS[tool]!(`${letter}-${tool}-${agent}`) });
      rows.push({ agent, rules: order === "ab" ? written : written.toReversed(), calls: tools.flatMap((tool) => [call(tool, "s"), call(tool, "g")]) });
    }
  };
  const special = (tool: string): string => (tool === "bash" ? "mark s-*" : "s-*");
  const pairs = ACTIONS.flatMap((general) => ACTIONS.map((narrow) => [general, narrow] as const));
  for (const [at] of pairs.entries()) {
    add(`pair-${at}`, TOOLS, (tool, _, index) => {
      const [general, narrow] = pairs[(at + index) % pairs.length]!;
      return [[tool, "*", general], [tool, special(tool), narrow]];
    });
    const [wide, own] = pairs[at]!;
    // A pattern and a whole subject; a key that tools share, where write has no rule of its own.
    add(`longer-${at}`, ["bash", "write"], (tool, agent) => (tool === "bash"
      ? [["bash", "mark *", wide], ["bash", `mark s-bash-${agent}`, own]]
      : [["edit", "*", wide], ["write", "s-*", own]]));
  }
  // Rules for every tool give way to the tool's own.
  for (const action of ACTIONS) {
    add(`all-${action}`, TOOLS, (tool, _, index) => [[tool, special(tool), ACTIONS[(ACTIONS.indexOf(action) + 1 + (index % 2)) % 3]!]], [["*", "*", action]]);
  }
  return rows;
}

/** The rules as an agent's file has them. */
export function agentFile({ rules }: Row): string {
  const keys = [...new Set(rules.map(([key]) => key))];
  const entries = (key: string): string => rules.filter(([of]) => of === key).map(([, pattern, action]) => `    ${JSON.stringify(pattern)}: ${action}\n`).join("");
  return `---\npermission:\n${keys.map((key) => `  ${JSON.stringify(key)}:\n${entries(key)}`).join("")}---\nYou are one of many.`;
}

/**
 * What a call must meet, told anew and not by the product's code: of the tool's own key, then of the key it shares, then of
 * `*`, the first with a pattern that matches decides, and of its patterns the longest; none allows.
 */
export function expectedAction({ rules }: Row, { tool, subject }: TableCall): Action {
  for (const key of tool === "write" ? ["write", "edit", "*"] : [tool, "*"]) {
    const matching = rules.filter(([of, pattern]) => of === key && new RegExp(`^${pattern.split("*").map((text) => RegExp.escape(text)).join(".*")}$`).test(subject));
    const longest = matching.sort(([, a], [, b]) => b.length - a.length)[0];
    if (longest !== undefined) return longest[2];
  }
  return "allow";
}
