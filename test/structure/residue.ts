import { isComment, isString, tokenize } from "./tokens.ts";
import type { Token } from "./tokens.ts";
import { isSource } from "./tree.ts";
import type { TreeFile } from "./tree.ts";

/** Lock files repeat what the registry said. */
const LOCK = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json)$/;
/** This folder spells out what it looks for. */
const SELF = /^test\/structure\//;

const HOSTS = /\b(?:registry\.[a-z0-9-]+\.[a-z.]+|(?:www\.)?npmjs\.(?:com|org)|pypi\.org|files\.pythonhosted\.org|crates\.io|proxy\.golang\.org|npm\.pkg\.github\.com)\b/gi;
/** Only the project speaks of itself: no place of work, no ticket, no plan that a reader of the repository can't open. */
const WORKPLACE = /\/work\/(?:main|shared)|\/tmp\/lab\b|\bissues? #?\d+\b|\bseeds? 00\d\b|\barchitecture\.md\b|\.\.\/(?:spec|seeds|design)\//gi;
const MARKERS = /\b(?:TODO|FIXME|XXX|HACK)\b|\bnot (?:yet )?implemented(?: yet)?\b/g;

/** Things that must not stay in the repository: `file:line what`. */
export function residue(files: readonly TreeFile[], extraHosts: readonly string[] = []): string[] {
  return files.filter(({ path }) => !LOCK.test(path) && !SELF.test(path)).flatMap(({ path, text }) => {
    const found: string[] = [];
    text.split("\n").forEach((line, index) => {
      const hosts = [...(line.match(HOSTS) ?? []), ...extraHosts.filter((host) => line.includes(host))];
      for (const host of hosts) found.push(`${path}:${index + 1} a registry's host: ${host}`);
      for (const word of line.match(WORKPLACE) ?? []) found.push(`${path}:${index + 1} a place outside the repository: ${word}`);
      // In prose a marker is a marker; in code only comments and error texts are looked at.
      if (!isSource(path)) for (const word of line.match(MARKERS) ?? []) found.push(`${path}:${index + 1} ${word}`);
    });
    if (isSource(path)) {
      for (const token of tokenize(text).filter((candidate) => isComment(candidate) || isString(candidate))) {
        for (const word of token.text.match(MARKERS) ?? []) found.push(`${path}:${token.line} ${word}`);
      }
    }
    return found;
  });
}

/** Tests that are switched off, or that switch others off. Conditional ones count too. */
export function switchedOff(files: readonly TreeFile[], allowed: { [path: string]: string } = {}): string[] {
  return files.filter(({ path }) => /\.test\.tsx?$/.test(path) && !(path in allowed)).flatMap(({ path, text }) => {
    const tokens = tokenize(text).filter((token) => !isComment(token));
    return tokens.filter((token, index) => isSwitch(token, tokens[index - 1], tokens[index + 1])).map((token) => `${path}:${token.line} ${token.text}`);
  });
}

function isSwitch(token: Token, before: Token | undefined, after: Token | undefined): boolean {
  if (!["only", "skip", "todo"].includes(token.text)) return false;
  return (before?.text === "." && after?.text === "(") || ((before?.text === "{" || before?.text === ",") && (after?.text === ":" || after?.text === "}"));
}

/** Source files by length. `.gen.ts` files are made by programs. */
export function longFiles(files: readonly TreeFile[], lines: number): string[] {
  return files
    .filter(({ path }) => isSource(path) && !path.endsWith(".gen.ts"))
    .map(({ path, text }) => ({ path, length: text.split("\n").length - 1 }))
    .filter(({ length }) => length > lines)
    .sort((a, b) => b.length - a.length)
    .map(({ path, length }) => `${path} has ${length} lines`);
}
