import { isTree, placeInYaml, type Path, type Place } from "@beeuni/manifest";
// yaml: keeps the place of every key.
import { LineCounter, parseDocument } from "yaml";
import { repairYaml } from "./repair-yaml.ts";
import { splitFrontMatter } from "./split-front-matter.ts";

/** The front matter of a Markdown file, read as far as it can be. */
export interface FrontMatter {
  hasFrontMatter: boolean;
  keys: { [key: string]: unknown };
  body: string;
  /** Lines that were read though YAML refuses them. */
  warnings: (Place & { message: string })[];
  /** Why it can't be used; null when it can. */
  error: (Place & { message: string }) | null;
  /** Where a key stands, in lines of the file. */
  place(path: Path): Place | undefined;
}

/** YAML compares each key with all others: what is longer would hold up the process, and no front matter is. */
const MAX_CHARACTERS = 64 * 1024;

export function parseFrontMatter(text: string): FrontMatter {
  const split = splitFrontMatter(text);
  const empty = { keys: {}, warnings: [], error: null, place: () => undefined };
  if (split.kind === "none") return { ...empty, hasFrontMatter: false, body: split.body };
  if (split.kind === "unterminated") {
    const error = { line: split.line, column: 1, message: "the front matter is not closed: a line `---` is missing after its keys" };
    return { ...empty, hasFrontMatter: true, body: "", error };
  }
  const { yaml, line: firstLine, body } = split;
  if (yaml.length > MAX_CHARACTERS) {
    const error = { line: firstLine, column: 1, message: `the front matter has ${yaml.length} characters; it may have ${MAX_CHARACTERS}` };
    return { ...empty, hasFrontMatter: true, body, error };
  }
  const strict = parse(yaml);
  const repair = strict.document.errors.length === 0 ? null : repairYaml(yaml);
  const { document, lines } = repair === null ? strict : parse(repair.text);
  const inFile = ({ line, column }: Place): Place => ({ line: line + firstLine - 1, column });
  const common = {
    hasFrontMatter: true, body,
    warnings: (repair?.repairs ?? []).map(({ line, message }) => ({ line: firstLine + line, column: 1, message })),
    place: (path: Path) => {
      const place = placeInYaml(document, lines, path);
      return place === undefined ? undefined : inFile(place);
    },
  };
  // What YAML said of the text as it is written helps more than what it says of our repair.
  const syntax = document.errors.length === 0 ? undefined : strict.document.errors[0];
  if (syntax !== undefined) {
    const { line, col } = strict.lines.linePos(syntax.pos[0]);
    return { ...common, keys: {}, warnings: [], error: { ...inFile({ line, column: col }), message: `the front matter is not valid YAML: ${syntax.message}` } };
  }
  const { value, problem } = toValue(document);
  if (problem !== null) return { ...common, keys: {}, error: { line: firstLine, column: 1, message: `the front matter can't be read: ${problem}` } };
  if (isTable(value)) return { ...common, keys: value, error: null };
  if (value === null) return { ...common, keys: {}, error: null };
  const message = `the front matter must be a map of keys (got ${Array.isArray(value) ? "a list" : JSON.stringify(value)})`;
  return { ...common, keys: {}, error: { line: firstLine, column: 1, message } };
}

function parse(yaml: string): { document: ReturnType<typeof parseDocument>; lines: LineCounter } {
  const lines = new LineCounter();
  return { document: parseDocument(yaml, { lineCounter: lines, merge: true, prettyErrors: false }), lines };
}

function toValue(document: ReturnType<typeof parseDocument>): { value: unknown; problem: string | null } {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { value, problem: isTree(value) ? null : "an alias stands inside of what it names" };
  } catch (thrown) {
    return { value: null, problem: (thrown as Error).message };
  }
}

function isTable(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
