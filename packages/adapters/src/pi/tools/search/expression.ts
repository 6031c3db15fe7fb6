/**
 * A model's regular expression. Models write for ripgrep: `(?i)` in front is taken as a flag, and escapes that
 * JavaScript's strict mode refuses (`\-`, `\"`) are read leniently. Throws a SyntaxError when it is none at all.
 */
export function expressionOf(pattern: string, { ignoreCase, literal }: { ignoreCase: boolean; literal: boolean }): RegExp {
  if (literal) return new RegExp(RegExp.escape(pattern), ignoreCase ? "iu" : "u");
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const source = inline === null ? pattern : pattern.slice(inline[0].length);
  const flags = [...new Set(`${inline?.[1] ?? ""}${ignoreCase ? "i" : ""}`)].join("");
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}
