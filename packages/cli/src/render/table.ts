import type { Colours } from "../io.ts";
import { oneLine } from "./plain.ts";
import { padEnd, padStart, truncate, width } from "./width.ts";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => string;
  align?: "right";
  /** A shorter form for narrow terminals, e.g. the beginning of an id. */
  short?: (row: Row) => string;
  /** May be cut with `…`, but not below this many columns. */
  shrink?: number;
  /** May be left out on narrow terminals; the highest goes first. Never needed to tell rows apart. */
  drop?: number;
}

const GAP = 2;

/**
 * A table that fits into `columns`: first the short forms, then the cuts, then whole columns go. What is left out is
 * always in `--json`. Where lines are for programs (`columns` is Infinity) nothing is cut.
 */
export function table<Row>(rows: readonly Row[], all: readonly Column<Row>[], columns: number, colours: Colours): string {
  let plan = all.map((column) => ({ column, cells: rows.map((row) => oneLine(column.cell(row))) }));
  if (total(plan) > columns) {
    plan = plan.map((entry) => (entry.column.short === undefined ? entry : { column: entry.column, cells: rows.map((row) => oneLine(entry.column.short!(row))) }));
  }
  while (minimum(plan) > columns) {
    const droppable = plan.filter((entry) => entry.column.drop !== undefined).sort((a, b) => b.column.drop! - a.column.drop!);
    if (droppable[0] === undefined) break;
    plan = plan.filter((entry) => entry !== droppable[0]);
  }
  const widths = plan.map(natural);
  let excess = sum(widths) - columns;
  for (const [index, entry] of [...plan.entries()].reverse()) {
    if (excess <= 0 || entry.column.shrink === undefined) continue;
    const cut = Math.min(excess, Math.max(0, widths[index]! - entry.column.shrink));
    widths[index]! -= cut;
    excess -= cut;
  }
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => {
        const fitted = truncate(cell, widths[index]!);
        if (plan[index]!.column.align === "right") return padStart(fitted, widths[index]!);
        return index === cells.length - 1 ? fitted : padEnd(fitted, widths[index]!);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const head = colours.dim(line(plan.map((entry) => entry.column.title)));
  return [head, ...rows.map((_, row) => line(plan.map((entry) => entry.cells[row]!)))].map((text) => `${text}\n`).join("");
}

interface Planned {
  column: { title: string; shrink?: number };
  cells: readonly string[];
}

function natural(entry: Planned): number {
  return Math.max(width(entry.column.title), ...entry.cells.map(width));
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, one) => all + one, 0) + GAP * Math.max(0, widths.length - 1);
}

function total(plan: readonly Planned[]): number {
  return sum(plan.map(natural));
}

function minimum(plan: readonly Planned[]): number {
  return sum(plan.map((entry) => (entry.column.shrink === undefined ? natural(entry) : Math.min(natural(entry), entry.column.shrink))));
}

/** `key  value` lines; the keys stand in one column. */
export function fields(pairs: readonly (readonly [string, string])[], colours: Colours): string {
  const keys = Math.max(...pairs.map(([key]) => width(key)));
  return pairs.map(([key, value]) => `${colours.dim(padEnd(key, keys))}  ${value.replace(/[\r\n]+/g, " ")}\n`).join("");
}
