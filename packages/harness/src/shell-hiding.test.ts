import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { PermissionDialect } from "./contract.ts";
import { decidePermission } from "./permissions.ts";

const dialect: PermissionDialect = { order: "longest-wins", unaskable: [], keys: {}, subject: { bash: "command" } };
const agent = {
  name: "a", tools: { kind: "all" as const },
  permissions: [{ permission: "bash", pattern: "*", action: "ask" as const }, { permission: "bash", pattern: "git *", action: "allow" as const }],
};
const decide = (command: string): string => decidePermission({ dialect, agent, workspace: "/w" }, { tool: "bash", input: { command } }).action;

/** Each runs `evil` in bash, in a place where a reader may take it for the text of an allowed `git` command. */
const HIDING = [
  // here-documents that are none, or that end elsewhere
  "git <<<x\nevil\nx",
  "git <<E\"O\"F\nEOF\nevil\nE",
  "git <<\\E\nE\nevil\n\\E",
  "git <<E\n\tE\ngit '\nE\nevil\n#'",
  "git <<E\nx\\\nE\ngit '\nE\nevil\n#'",
  "git <<E\n$(evil)\nE",
  "git <<E\n`evil`\nE",
  "git $((1<<x))\nevil\nx",
  "git $[1<<x]\nevil\nx",
  "git ${a[1<<x]}\nevil\nx",
  // expressions that are groups
  "git $((evil); (true))",
  // quotes
  "git $'\\'' ; evil #'",
  "git \"${x#'\"'}\" ; evil #'",
  "git \"$(evil)\"",
  "git \"`evil`\"",
  "git \"$\\\n(evil)\"",
  "git $\\\n(evil)",
  "git `git \\`evil\\``",
  "git `git '` ; evil #'",
  // comments that are none, or that end
  "git ${x:- #}; evil",
  "git \\ #; evil",
  "git \u00a0#; evil",
  "git \v#; evil",
  "git # \\\nevil",
  "git \\\\\nevil",
  // commands where no command stands elsewhere
  "function git { evil; }; git",
  "git $(case x in x) evil;; esac)",
  "git ${x:-$(evil)}",
  "git <(evil)",
  "git() { evil; }; git",
];

test("a command that a shell line hides is never allowed by a pattern for another command", () => {
  for (const line of HIDING) assert.equal(decide(line), "ask", JSON.stringify(line));
});

test("control: bash runs the hidden command of each of these lines", () => {
  // The number of the running line goes to descriptor 3 whenever `evil` runs.
  const script = 'evil() { echo "$n" >&3; }; git() { :; }; n=0\nfor line; do ( eval "$line"; sleep 0.01 ) >/dev/null 2>&1; n=$((n+1)); done';
  const { output } = spawnSync("bash", ["-c", script, "bash", ...HIDING], { stdio: ["ignore", "ignore", "ignore", "pipe"], timeout: 20_000 });
  const ran = new Set(String(output[3]).trim().split("\n").map(Number));
  assert.deepEqual(HIDING.filter((_, index) => !ran.has(index)), []);
});

test("a line that is nested without end, or long, is decided at once", { timeout: 20_000 }, () => {
  for (const line of ["$(", "${x", "`", "$((", "(", "\"$(", "<<E "].map((open) => `git ${open.repeat(50_001)}`)) assert.equal(decide(line), "ask", line.slice(0, 12));
  const blanks = " ".repeat(200_000);
  for (const line of [`git${blanks}x`, `git >${blanks}x`, `git <<<${blanks}x`, `git # ${blanks}x`]) assert.equal(decide(line), "allow", line.slice(0, 8));
});

test("lines that can be read are still allowed", () => {
  const lines = [
    "git status", "git log --format='%h; %s' | git column", "git commit -m \"a (b) & c\" && git push 2>&1", "git log \\\n  --oneline # all", "git diff $(git merge-base a b) -- \"$x\" ${y:-z} ${#z}",
    "git log -n $((1 + x * 2))", "git commit -F - <<'E'\nrm $(x) `y`\nE\ngit status", "git commit -F - <<-E\n\ta $x ${y}\n\tE\n", "git grep $'a\\tb'", "git log `git rev-parse a`",
  ];
  for (const line of lines) assert.equal(decide(line), "allow", JSON.stringify(line));
});
