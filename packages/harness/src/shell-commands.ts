/**
 * Splits a shell command line into the commands it runs, so that a rule for `git *` does not speak for
 * `git status; rm -rf .`. It reads POSIX shell and bash well enough for the decision, no more: what it can't look
 * into (unbalanced quotes, nesting that never closes, substitution in a here-document) makes the line `opaque`.
 * It is no security boundary: `eval`, aliases and scripts run what they like.
 */
export function splitShellLine(line: string): ShellLine {
  const reader = new Reader(line.replaceAll("\\\n", ""));
  reader.list(null);
  return { commands: reader.commands, opaque: reader.opaque };
}

export interface ShellLine {
  commands: ShellCommand[];
  opaque: boolean;
}
export interface ShellCommand {
  /** The command as written, without surrounding blanks and leading keywords (`then`, `do`, `!`). */
  text: string;
  /** It writes to a file by redirection (not to another descriptor, not to /dev/null). */
  writesFile: boolean;
}

/** `A=1 B=2 rm x` → `rm x`; null when there is no assignment in front. */
export function withoutAssignments(command: string): string | null {
  return ASSIGNMENTS.exec(command)?.[1] ?? null;
}

const ASSIGNMENTS = /^(?:[A-Za-z_]\w*\+?=(?:"[^"]*"|'[^']*'|[^\s"'])*\s+)+(\S[^]*)$/;
const KEYWORDS = /^(?:(?:if|then|elif|else|while|until|do|time|!|\{)(?=\s|$)\s*)+/;
const NO_COMMAND = /^(?:fi|done|esac|\}|(?:for|case|select|function)\s[^]*)?$/;
const HEREDOC = /^<<-?[ \t]*(['"]?)([\w.-]+)\1/;
const REDIRECT = /^(?:&>>?|>&(?![\d-])|>[>|]?(?!&)|<>)[ \t]*([^\s;|&()<>]*)/;

class Reader {
  readonly commands: ShellCommand[] = [];
  opaque = false;
  private readonly source: string;
  private at = 0;
  private pending: { end: string; quoted: boolean }[] = [];

  constructor(source: string) {
    this.source = source;
  }

  /** Reads commands up to `close`, which it takes, or to the end of the source. */
  list(close: ")" | "`" | null): void {
    let text = "";
    let writesFile = false;
    const finish = (): void => {
      const command = text.trim().replace(KEYWORDS, "").trim();
      if (!NO_COMMAND.test(command)) this.commands.push({ text: command, writesFile });
      text = "";
      writesFile = false;
    };
    while (this.at < this.source.length) {
      const char = this.source[this.at]!;
      const next = this.source[this.at + 1];
      const rest = this.source.slice(this.at, this.at + 300);
      const redirect = REDIRECT.exec(rest);
      if (char === close) {
        this.at++;
        return finish();
      }
      if (char === "\\") text += this.take(2);
      else if (char === "'") text += this.singleQuoted();
      else if (char === '"') text += this.doubleQuoted();
      else if (char === "`" || ("$<>".includes(char) && next === "(")) text += this.substitution();
      else if (char === "#" && /(?:^|\s)$/.test(text)) this.comment();
      else if (HEREDOC.test(rest)) text += this.heredoc(rest);
      else if (redirect !== null) {
        writesFile ||= redirect[1] !== "/dev/null";
        text += this.take(redirect[0].length - redirect[1]!.length);
      } else if ((char === ">" || char === "<") && next === "&") text += this.take(2);
      else if (char === "\n") {
        this.at++;
        finish();
        this.skipHeredocs();
      } else if (";|&()".includes(char)) {
        this.at++;
        finish();
      } else text += this.take(1);
    }
    if (close !== null) this.opaque = true;
    finish();
  }

  private take(count: number): string {
    const taken = this.source.slice(this.at, this.at + count);
    this.at += count;
    return taken;
  }

  private singleQuoted(): string {
    const end = this.source.indexOf("'", this.at + 1);
    if (end < 0) this.opaque = true;
    return this.take(end < 0 ? this.source.length - this.at : end + 1 - this.at);
  }

  /** Takes the quoted text; commands substituted in it count. */
  private doubleQuoted(): string {
    let text = this.take(1);
    while (this.at < this.source.length) {
      const char = this.source[this.at]!;
      if (char === '"') return text + this.take(1);
      if (char === "\\") text += this.take(2);
      else if (char === "`" || (char === "$" && this.source[this.at + 1] === "(")) text += this.substitution();
      else text += this.take(1);
    }
    this.opaque = true;
    return text;
  }

  /** `$(…)`, `` `…` ``, `<(…)`, `>(…)`: its commands join the list, its text stays in the outer command. */
  private substitution(): string {
    const start = this.at;
    const close = this.source[this.at] === "`" ? "`" : ")";
    this.at += close === "`" ? 1 : 2;
    if (close === ")" && this.source[this.at] === "(" && this.source[start] === "$") this.arithmetic();
    else this.list(close);
    return this.source.slice(start, this.at);
  }

  /** `$((…))`: an expression, unless something is substituted in it. */
  private arithmetic(): void {
    const end = this.source.indexOf("))", this.at);
    const expression = end < 0 ? null : this.source.slice(this.at + 1, end);
    if (expression === null || /[`$]\(|`/.test(expression)) {
      this.list(")");
      return;
    }
    this.at = end + 2;
  }

  private comment(): void {
    const end = this.source.indexOf("\n", this.at);
    this.at = end < 0 ? this.source.length : end;
  }

  private heredoc(rest: string): string {
    const [whole, quote, end] = HEREDOC.exec(rest)!;
    this.pending.push({ end: end!, quoted: quote !== "" });
    return this.take(whole.length);
  }

  private skipHeredocs(): void {
    for (const { end, quoted } of this.pending) {
      for (;;) {
        if (this.at >= this.source.length) {
          this.opaque = true;
          break;
        }
        const newline = this.source.indexOf("\n", this.at);
        const body = this.source.slice(this.at, newline < 0 ? this.source.length : newline);
        this.at = newline < 0 ? this.source.length : newline + 1;
        if (body.replace(/^\t+/, "") === end) break;
        if (!quoted && /\$\(|`/.test(body)) this.opaque = true;
      }
    }
    this.pending = [];
  }
}
