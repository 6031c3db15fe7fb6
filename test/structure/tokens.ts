import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";

/** A token of a TypeScript file; comments are tokens too. `value` is a string literal's content. */
export interface Token { kind: SyntaxKind; text: string; value: string; line: number }

/** After these a `/` begins a regular expression, not a division. */
const BEFORE_REGEX = new Set<SyntaxKind>([
  SyntaxKind.OpenParenToken, SyntaxKind.CommaToken, SyntaxKind.EqualsToken, SyntaxKind.ColonToken, SyntaxKind.OpenBracketToken,
  SyntaxKind.ExclamationToken, SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionToken,
  SyntaxKind.QuestionQuestionToken, SyntaxKind.OpenBraceToken, SyntaxKind.CloseBraceToken, SyntaxKind.SemicolonToken,
  SyntaxKind.EqualsGreaterThanToken, SyntaxKind.ReturnKeyword, SyntaxKind.AwaitKeyword, SyntaxKind.DotDotDotToken,
]);
const COMMENTS = new Set<SyntaxKind>([SyntaxKind.SingleLineCommentTrivia, SyntaxKind.MultiLineCommentTrivia]);
const BLANK = new Set<SyntaxKind>([SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia]);

/** Splits a TypeScript source with the compiler's own scanner, so that text inside strings and comments is told apart. */
export function tokenize(source: string): Token[] {
  const scanner = createScanner(false, undefined, source);
  const tokens: Token[] = [];
  /** Open braces, innermost last; true for one that returns to a template literal. */
  const braces: boolean[] = [];
  let previous: SyntaxKind = SyntaxKind.SemicolonToken;
  let line = 1;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      if (BEFORE_REGEX.has(previous)) kind = scanner.reScanSlashToken();
    } else if (kind === SyntaxKind.CloseBraceToken && braces.pop() === true) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateMiddle) braces.push(true);
    } else if (kind === SyntaxKind.OpenBraceToken) {
      braces.push(false);
    } else if (kind === SyntaxKind.TemplateHead) {
      braces.push(true);
    }
    const text = scanner.getTokenText();
    if (!BLANK.has(kind)) tokens.push({ kind, text, value: scanner.getTokenValue(), line });
    if (!BLANK.has(kind) && !COMMENTS.has(kind)) previous = kind;
    for (const letter of text) if (letter === "\n") line++;
  }
  return tokens;
}

export const isComment = (token: Token): boolean => COMMENTS.has(token.kind);

export const isString = (token: Token): boolean =>
  token.kind === SyntaxKind.StringLiteral || token.kind === SyntaxKind.NoSubstitutionTemplateLiteral;

/** What a file imports: static, type-only, side-effect, re-exported, dynamic, `require` and `import.meta.resolve`. */
export interface Import { specifier: string; line: number; /** Line on which its statement begins. */ from: number }

export function importsOf(source: string): Import[] {
  const tokens = tokenize(source).filter((token) => !isComment(token));
  const found: Import[] = [];
  let statement = 1;
  tokens.forEach((token, index) => {
    if (token.kind === SyntaxKind.ImportKeyword || token.kind === SyntaxKind.ExportKeyword) statement = token.line;
    if (!isString(token)) return;
    const [before, beforeThat] = [tokens[index - 1], tokens[index - 2]];
    const isImport =
      before?.text === "from" || before?.kind === SyntaxKind.ImportKeyword ||
      (before?.text === "(" && (beforeThat?.kind === SyntaxKind.ImportKeyword || beforeThat?.text === "require" || beforeThat?.text === "resolve"
        && tokens[index - 4]?.text === "meta"));
    if (isImport) found.push({ specifier: token.value, line: token.line, from: before?.text === "(" ? token.line : statement });
  });
  return found;
}
