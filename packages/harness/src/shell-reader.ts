import { arithmeticEnd, readHereDocuments, trimBlanks, type HereDocument } from "./shell-syntax.ts";
import type { ShellCommand } from "./shell-commands.ts";

const KEYWORDS = /^(?:(?:if|then|elif|else|while|until|do|time|!|\{)(?=[ \t\n]|$)[ \t\n]*)+/;
/** What is left of a loop or a group without its commands. */
const NO_COMMAND = /^(?:fi|done|\}|for[ \t]+[A-Za-z_]\w*(?:[ \t]+in(?:[ \t][^]*)?)?)?$/;
/** Their commands stand where no command stands elsewhere, or change what a name runs. */
const HARD_TO_READ = /^(?:case|esac|select|function|coproc)(?=[ \t\n]|$)/;
/** In front of a here-document or a comment: bash reads `[[ … ]]` and subscripts by rules of their own. */
const OWN_RULES = /^\[\[|\w\[/;
const REDIRECT = /(?:&>>?|>&|>[>|]?|<>)[ \t]*([^\s;|&()<>]*)/y;
const DUPLICATE = /[<>]&(?:\d+-?|-)(?=[\s;|&()<>]|$)/y;
const HEREDOC = /<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n\\$`]*)"|([\w.-]+))(?=[ \t\n;|&()<>]|$)/y;

const MAX_DEPTH = 50;

/** Reads a command line from left to right and notes the commands in it, also those that are substituted. */
export class ShellReader {
  readonly commands: ShellCommand[] = [];
  opaque = false;
  private readonly source: string;
  private at = 0;
  /** How many substitutions the place is in. */
  private depth: number;
  /** Those whose text begins after the next newline. */
  private pending: HereDocument[] = [];

  constructor(source: string, depth = 0) {
    this.source = source;
    this.depth = depth;
  }

  /** Reads commands up to `close`, which it takes, or to the end of the source. */
  list(close: ")" | null): void {
    const before = this.pending;
    // Which newline their text follows then depends on the shell's version.
    this.opaque ||= before.length > 0;
    this.pending = [];
    let text = "";
    let writesFile = false;
    /** A comment can begin here. */
    let isBetween = true;
    const finish = (): void => {
      this.add(text, writesFile);
      [text, writesFile, isBetween] = ["", false, true];
    };
    while (this.at < this.source.length && this.source[this.at] !== close) {
      const char = this.source[this.at]!;
      const next = this.source[this.at + 1];
      const wasBetween: boolean = isBetween;
      isBetween = char === " " || char === "\t";
      const quoted = this.quoted(char, next);
      if (quoted !== null) {
        text += quoted;
        isBetween = wasBetween && quoted === "";
      } else if ((char === "<" || char === ">") && next === "(") text += this.substitution();
      else if (char === "#" && wasBetween) this.comment(text);
      else if (char === "<" && next === "<") text += this.hereDocument(text);
      else if (this.match(DUPLICATE) !== null) text += this.take(this.match(DUPLICATE)![0].length);
      else if (this.match(REDIRECT) !== null) {
        const [whole, target = ""] = this.match(REDIRECT)!;
        writesFile ||= target !== "/dev/null";
        text += this.take(whole.length - target.length);
      } else if (char === "\n") {
        this.at++;
        finish();
        this.skipHereDocuments();
      } else if (";|&()".includes(char)) {
        // `((` begins an expression, or a group in a group.
        this.opaque ||= char === "(" && next === "(";
        this.at++;
        finish();
      } else text += this.take(1);
    }
    if (this.at < this.source.length) this.at++;
    else this.opaque ||= close !== null;
    finish();
    this.opaque ||= this.pending.length > 0;
    this.pending = before;
  }

  private add(text: string, writesFile: boolean): void {
    const command = trimBlanks(text).replace(KEYWORDS, "");
    this.opaque ||= HARD_TO_READ.test(command);
    if (!NO_COMMAND.test(command)) this.commands.push({ text: command, writesFile });
  }

  /** What begins with a quoting character or `$`, taken whole; "" for a continued line; null for any other character. */
  private quoted(char: string, next: string | undefined): string | null {
    if (char === "'") return this.singleQuoted();
    if (char === '"') return this.doubleQuoted();
    if (char === "`") return this.backquoted();
    if (char === "\\") return next === "\n" ? this.continued() : this.take(2);
    if (char !== "$") return null;
    if (next === "'") return this.escapedQuoted();
    if (next === '"') return this.take(1) + this.doubleQuoted();
    return this.expanded(next, false);
  }

  /** `$` and what it expands. */
  private expanded(next: string | undefined, isQuoted: boolean): string {
    if (next === "(") return this.substitution();
    if (next === "{") return this.nested(() => this.parameter(isQuoted));
    this.opaque ||= next === "[";
    return this.take(1);
  }

  /** Deeper than anyone writes, the rest of the line is left unread. */
  private nested(read: () => string): string {
    if (this.depth >= MAX_DEPTH) {
      this.opaque = true;
      return this.take(this.source.length);
    }
    this.depth++;
    const text = read();
    this.depth--;
    return text;
  }

  private take(count: number): string {
    const taken = this.source.slice(this.at, this.at + count);
    this.at += count;
    return taken;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source);
  }

  /** A backslash before a newline joins the lines; inside of a word or an operator it may make another one of it. */
  private continued(): string {
    const isBlank = (char: string | undefined): boolean => char === undefined || " \t\n".includes(char);
    this.opaque ||= !isBlank(this.source[this.at - 1]) && !isBlank(this.source[this.at + 2]);
    this.at += 2;
    return "";
  }

  private singleQuoted(): string {
    const end = this.source.indexOf("'", this.at + 1);
    this.opaque ||= end < 0;
    return this.take((end < 0 ? this.source.length : end + 1) - this.at);
  }

  /** `$'…'`: in bash a backslash takes the next character along, in other shells it does not. */
  private escapedQuoted(): string {
    const start = this.at;
    for (this.at += 2; this.at < this.source.length && this.source[this.at] !== "'"; this.at++) {
      if (this.source[this.at] !== "\\") continue;
      this.at++;
      this.opaque ||= this.source[this.at] === "'";
    }
    this.opaque ||= this.at >= this.source.length;
    this.at++;
    return this.source.slice(start, this.at);
  }

  /** Takes the quoted text; commands substituted in it count. */
  private doubleQuoted(): string {
    let text = this.take(1);
    while (this.at < this.source.length) {
      const char = this.source[this.at]!;
      const next = this.source[this.at + 1];
      if (char === '"') return text + this.take(1);
      if (char === "\\") {
        this.opaque ||= next === "\n" && this.source[this.at - 1] === "$";
        text += this.take(2);
      } else if (char === "`") text += this.backquoted();
      else if (char === "$") text += this.expanded(next, true);
      else text += this.take(1);
    }
    this.opaque = true;
    return text;
  }

  /** `${…}`. Quotes in it count in some places and not in others: where that matters, the line is in doubt. */
  private parameter(isQuoted: boolean): string {
    let text = this.take(2);
    // `${ command; }` runs one in newer shells.
    this.opaque ||= !/[\w#!@*?$-]/.test(this.source[this.at] ?? "");
    while (this.at < this.source.length) {
      const char = this.source[this.at]!;
      const next = this.source[this.at + 1];
      if (char === "}") return text + this.take(1);
      this.opaque ||= char === "{" || (isQuoted && (char === "'" || char === '"')) || (char === "$" && next === "'");
      if ((char === "<" || char === ">") && next === "(") text += this.substitution();
      else if (isQuoted && char === "'") text += this.take(1);
      else text += this.quoted(char, next) ?? this.take(1);
    }
    this.opaque = true;
    return text;
  }

  /** `` `…` `` ends at the next backquote, quotes or not; with a backslash in it the shell reads another text than stands there. */
  private backquoted(): string {
    const start = this.at++;
    while (this.at < this.source.length && this.source[this.at] !== "`") this.at += this.source[this.at] === "\\" ? 2 : 1;
    const inner = new ShellReader(this.source.slice(start + 1, this.at), this.depth + 1);
    inner.list(null);
    this.commands.push(...inner.commands);
    this.opaque ||= inner.opaque || inner.source.includes("\\") || this.at >= this.source.length;
    this.at++;
    return this.source.slice(start, this.at);
  }

  /** `$(…)`, `<(…)`, `>(…)`: its commands join the list, its text stays in the outer command. `$((…))` is an expression. */
  private substitution(): string {
    const start = this.at;
    const isExpression = this.source.startsWith("$((", start);
    const end = isExpression ? arithmeticEnd(this.source, start + 3) : -1;
    if (end >= 0) return this.take(end - start);
    this.opaque ||= isExpression;
    return this.nested(() => {
      this.at += 2;
      this.list(")");
      return this.source.slice(start, this.at);
    });
  }

  private comment(text: string): void {
    this.opaque ||= OWN_RULES.test(text);
    const end = this.source.indexOf("\n", this.at);
    this.at = end < 0 ? this.source.length : end;
  }

  /** `<<word`, whose text follows later, or `<<<word`. */
  private hereDocument(text: string): string {
    if (this.source[this.at + 2] === "<") return this.take(3);
    const found = this.match(HEREDOC);
    this.opaque ||= found === null || this.pending.length >= MAX_DEPTH || OWN_RULES.test(text);
    if (found === null) return this.take(2);
    const [whole, dash, single, double, plain] = found;
    this.pending.push({ end: single ?? double ?? plain!, isQuoted: plain === undefined, isIndented: dash === "-" });
    return this.take(whole.length);
  }

  private skipHereDocuments(): void {
    const { end, isPlain } = readHereDocuments(this.source, this.at, this.pending);
    this.opaque ||= !isPlain;
    this.at = end;
    this.pending = [];
  }
}
