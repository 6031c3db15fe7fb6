import type { Issue } from "@beeuni/protocol";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";

export type Path = readonly (string | number)[];

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
    this.document = parseDocument(text.replace(/^\uFEFF/, ""), { lineCounter: this.lines, merge: true, prettyErrors: false });
    const [error] = this.document.errors;
    if (error !== undefined) {
      const { line, col } = this.lines.linePos(error.pos[0]);
      this.issues.push({ file, path: "<yaml>", message: `Syntax error: ${error.message}`, severity: "error", line, column: col });
      this.value = null;
      return;
    }
    try {
      this.value = this.document.toJS({ maxAliasCount: 100 });
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

  /** Line and column of the key or list entry; undefined when it is not in the file. */
  private place(path: Path): { line: number; column: number } | undefined {
    let node: unknown = this.document.contents;
    let at: Node | undefined;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.document);
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) === String(step) : false));
        if (pair === undefined) return undefined;
        at = pair.key as Node;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        if (node === undefined) return undefined;
        at = node as Node;
      } else return undefined;
    }
    const offset = at?.range?.[0];
    if (offset === undefined) return undefined;
    const { line, col } = this.lines.linePos(offset);
    return { line, column: col };
  }
}

/** `triggers[1].cron`, `agents.release-bot.file`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`), "");
}
