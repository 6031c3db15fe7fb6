/** A line that was changed so that YAML can read it: number from 0, and why. */
export interface Repair {
  line: number;
  message: string;
}

/** Blanks behind the key and the value are cut off afterwards: two ways to match one blank would take for ever on many. */
const ENTRY = /^(\s*(?:- +)?)([^\s"'#\-[{][^:]*|-[^\s:][^:]*):[ \t]+(\S.*)$/;
const GLOB_KEY = /^(\s*)(\*[^:"']*):(?=[ \t]|$)/;
const BLOCK_SCALAR = /^[|>][-+\d]*(?:[ \t]+#.*)?$/;

/**
 * Repairs what people write in front matter and other programs read: a second `: ` in an unquoted value, an unquoted `*`
 * (or `@`, `` ` ``, `%`, `&`, `!`) at the start of a value or a key, tabs as indentation. Meant for text that YAML refuses;
 * the number of lines stays, so places stay right.
 */
export function repairYaml(text: string): { text: string; repairs: Repair[] } {
  const lines = text.split("\n");
  const repairs: Repair[] = [];
  const repaired = (line: number, message: string): number => repairs.push({ line, message });
  for (let index = 0; index < lines.length; index++) {
    const tabs = /^[ ]*\t[\t ]*/.exec(lines[index]!)?.[0];
    if (tabs !== undefined && lines[index]!.trim() !== "") {
      lines[index] = tabs.replaceAll("\t", "  ") + lines[index]!.slice(tabs.length);
      repaired(index, "is indented with a tab, which YAML does not allow: read as two spaces");
    }
    if (GLOB_KEY.test(lines[index]!)) {
      lines[index] = lines[index]!.replace(GLOB_KEY, (_, indent: string, key: string) => `${indent}${JSON.stringify(key.trimEnd())}:`);
      repaired(index, "has an unquoted `*`: read as text; put it in quotes");
    }
    const entry = ENTRY.exec(lines[index]!);
    const lead = entry?.[1];
    const key = entry?.[2]?.trimEnd();
    const value = entry?.[3]?.trimEnd();
    if (lead === undefined || key === undefined || value === undefined) continue;
    if (BLOCK_SCALAR.test(value)) {
      index = lastLineOf(lines, index, lead.length);
      continue;
    }
    if (/^[[{]/.test(value)) {
      const quoted = value.replace(/([[{,][ \t]*)(\*[^,\]}:"']*)/g, (_, before: string, star: string) => `${before}${JSON.stringify(star.trim())}`);
      if (quoted !== value) {
        lines[index] = `${lead}${key}: ${quoted}`;
        repaired(index, "has an unquoted `*`: read as text; put it in quotes");
      }
      continue;
    }
    if (/^["'#]/.test(value)) continue;
    const hasSecondColon = /:(?:[ \t]|$)/.test(value);
    const hasReserved = /^[*@`%&!]/.test(value);
    if (!hasSecondColon && !hasReserved) continue;
    const end = lastLineOf(lines, index, lead.length);
    const whole = [value, ...lines.slice(index + 1, end + 1).map((line) => line.trim())].join(" ").trim();
    lines[index] = `${lead}${key}: ${JSON.stringify(whole)}`;
    lines.fill("", index + 1, end + 1);
    repaired(index, hasSecondColon
      ? `has a second \`: \` in the unquoted value of \`${key}\`: read whole; put the value in quotes`
      : `has an unquoted \`${value[0]}\`: read as text; put it in quotes`);
    index = end;
  }
  return { text: lines.join("\n"), repairs };
}

/** The last of the lines that belong to the value that begins on `start`: those that are indented deeper. */
function lastLineOf(lines: readonly string[], start: number, indent: number): number {
  let last = start;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.trim() === "") continue;
    if (line.search(/\S/) <= indent) break;
    last = index;
  }
  return last;
}
