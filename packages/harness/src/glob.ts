/**
 * The one glob of permission rules. `\` counts as `/`; `*` is any text (also across `/` and lines), `?` any one
 * character; the pattern covers the whole subject. A pattern that ends in ` *` also matches without that ending, so
 * that `ls *` covers `ls`. No glob library has this meaning. Linear memory, at worst pattern × subject steps.
 */
export function matchesGlob(pattern: string, subject: string): boolean {
  const wanted = [...pattern.replaceAll("\\", "/")];
  const given = [...subject.replaceAll("\\", "/")];
  if (matchesWhole(wanted, given)) return true;
  return wanted.at(-1) === "*" && wanted.at(-2) === " " && matchesWhole(wanted.slice(0, -2), given);
}

/** Whether the pattern is plain text: it can match one subject only. */
export function isLiteral(pattern: string): boolean {
  return !pattern.includes("*") && !pattern.includes("?");
}

/** Greedy with one step back: on a mismatch the last `*` takes one character more. */
function matchesWhole(pattern: readonly string[], subject: readonly string[]): boolean {
  let at = 0;
  let star = -1;
  let starAt = 0;
  for (let index = 0; index < subject.length; ) {
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at++;
      starAt = index;
    } else if (wanted !== undefined && (wanted === "?" || wanted === subject[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++starAt;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
