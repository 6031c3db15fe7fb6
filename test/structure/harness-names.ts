import { isSource, isTest } from "./tree.ts";
import type { TreeFile } from "./tree.ts";

/** Names of harnesses. Long ones count anywhere, whatever their case; `pi` only as a word, also inside camelCase. */
const LONG = /opencode|codex|claude|copilot|openclaw|hermes|deepseek/gi;
const SHORT = /(?<![A-Za-z])pi(?![a-z])|(?<![A-Z])Pi(?![a-z])|(?<![A-Za-z])PI(?![A-Za-z])/g;

/** Words that are no harness's name: flags of a project, the rules file, a number. */
const FINE = /\bpi_harness\b|\bCLAUDE\.md\b|\bMath\.PI\b/g;

/**
 * Files that may name harnesses, and folders (with a slash at the end), with the reason. Keep it short: a name here is a
 * harness the host treats specially.
 */
export const ALLOWED: { [path: string]: string } = {
  "packages/adapters/src/index.ts": "the list of built-in adapters",
  "packages/adapters/src/pi/compat.ts": "ids of model providers, one of which is also a harness's name",
  "packages/transcript/src/project-opencode/": "the session wire that other people's clients speak is called after the program it comes from",
  "packages/daemon/src/routes/wire/": "serves that wire: its user name, its headers",
  "packages/adapters/src/opencode/compile.ts": "a switch of that program is called after another harness",
  "packages/transcript/src/index.ts": "exports that wire's projection",
  "packages/gateway/src/providers/known.ts": "ids of models and of model providers, some of which are also harnesses' names",
};

/** Places that name a harness outside its folder: `file:line name`. Comments count. */
export function harnessNames(files: readonly TreeFile[], allowed: { [path: string]: string } = ALLOWED): string[] {
  return files
    .filter(({ path }) => /^(?:packages\/[^/]+|conformance)\/src\//.test(path) && isSource(path) && !isTest(path) && exceptionFor(path, allowed) === undefined)
    .flatMap(({ path, text }) => {
      const own = /^packages\/adapters\/src\/([^/]+)\//.exec(path)?.[1];
      const lines = [path.replace(/^packages\/adapters\/src\/[^/]+\//, ""), ...text.split("\n")];
      return lines.flatMap((line, index) =>
        namesIn(line).filter((name) => name.toLowerCase() !== own).map((name) => `${path}:${index} ${name}`));
    });
}

/** The exception that covers this file. */
export function exceptionFor(path: string, allowed: { [path: string]: string } = ALLOWED): string | undefined {
  return Object.keys(allowed).find((entry) => (entry.endsWith("/") ? path.startsWith(entry) : path === entry));
}

function namesIn(line: string): string[] {
  const plain = line.replace(FINE, "");
  return [...(plain.match(LONG) ?? []), ...(plain.match(SHORT) ?? [])];
}
