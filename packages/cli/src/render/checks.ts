import type { Check } from "../doctor/check.ts";
import type { Sink } from "../io.ts";
import { padEnd, width, wrap } from "./width.ts";

const MARKS = { ok: "✓", warning: "!", problem: "✗" } as const;

/** The page of `doctor`: a line for each check, its fix below it, and the sum. */
export function checksPage(checks: readonly Check[], { columns, colours }: Pick<Sink, "columns" | "colours">): string {
  const paint = { ok: colours.green, warning: colours.yellow, problem: colours.red };
  const names = Math.max(...checks.map(({ id }) => width(id)));
  const indent = " ".repeat(names + 4);
  const room = Math.max(20, columns - indent.length);
  const lines = checks.flatMap(({ id, status, message, fix }) => {
    const text = [...wrap(message, room), ...(fix === undefined ? [] : wrap(`fix: ${fix}`, room))];
    return text.map((line, index) => (index === 0 ? `${paint[status](MARKS[status])} ${padEnd(id, names)}  ${line}` : `${indent}${line}`));
  });
  return `${lines.join("\n")}\n\n${total(checks)}\n`;
}

function total(checks: readonly Check[]): string {
  const [problems, warnings] = (["problem", "warning"] as const).map((status) => checks.filter((check) => check.status === status).length);
  const say = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
  return problems! + warnings! === 0 ? "all is well" : `${say(problems!, "problem")}, ${say(warnings!, "warning")}`;
}
