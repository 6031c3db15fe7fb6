import type { Issue } from "@beeuni/protocol";
// yaml: keeps the place of every node, and the comments for edits in place.
import { isMap, LineCounter, parseDocument, type Document } from "yaml";
import { type Path, type Place, placeInYaml } from "./place.ts";
import { isTree } from "./shape.ts";

/** YAML compares each key with all others: what is longer would hold up the process. */
const MAX_CHARACTERS = 128 * 1024;

/** A YAML document with the place of everything in it, and the list of what is wrong with it. */
export class ManifestDocument {
  readonly file: string;
  readonly issues: Issue[] = [];
  /** Plain values; null when the text is no YAML. */
  readonly value: unknown;
  private readonly document: Document.Parsed;
  private readonly lines = new LineCounter();

  constructor(text: string, file: string) {
    this.file = file;
    const isTooLong = text.length > MAX_CHARACTERS;
    this.document = parseDocument(isTooLong ? "" : text.replace(/^\uFEFF/, ""), { lineCounter: this.lines, merge: true, prettyErrors: false });
    if (isTooLong) {
      this.issues.push({ file, path: "<yaml>", message: `has ${text.length} characters; a manifest may have ${MAX_CHARACTERS}.`, severity: "error" });
      this.value = null;
      return;
    }
    const [error] = this.document.errors;
    if (error !== undefined) {
      const { line, col } = this.lines.linePos(error.pos[0]);
      this.issues.push({ file, path: "<yaml>", message: `Syntax error: ${error.message}`, severity: "error", line, column: col });
      this.value = null;
      return;
    }
    try {
      const value: unknown = this.document.toJS({ maxAliasCount: 100 });
      if (!isTree(value)) throw new Error("an alias stands inside of what it names");
      this.value = value;
    } catch (thrown) {
      this.issues.push({ file, path: "<yaml>", message: `Syntax error: ${(thrown as Error).message}`, severity: "error" });
      this.value = null;
    }
  }

  error(path: Path, message: string): void {
    this.report("error", path, message);
  }

  warning(path: Path, message: string): void {
    this.report("warning", path, message);
  }

  /** Whether the key is in the root map, whatever its value. */
  has(key: string): boolean {
    return isMap(this.document.contents) && this.document.contents.has(key);
  }

  /** Whether the file has this path. */
  declares(path: Path): boolean {
    return this.place(path) !== undefined;
  }

  private report(severity: Issue["severity"], path: Path, message: string): void {
    this.issues.push({ file: this.file, path: formatPath(path), message, severity, ...this.place(path) });
  }

  private place(path: Path): Place | undefined {
    return placeInYaml(this.document, this.lines, path);
  }
}

/** `triggers[1].cron`, `agents.release-bot.file`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`), "");
}
