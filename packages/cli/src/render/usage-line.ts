import type { Usage } from "@beeuni/protocol";
import { count, duration } from "./numbers.ts";
import { width } from "./width.ts";

/** What one turn took. `usage` null: no provider reported it, which is not the same as nothing. */
export interface TurnCost {
  harness: string;
  model: string;
  usage: Usage | null;
  elapsed: number;
}

/** `<harness> · faux/demo · in 1,204 · out 88 · cache 512 · 3.2s`, on more lines where the terminal is narrow. */
export function usageLine(cost: TurnCost, columns: number): string {
  return wrapItems([cost.harness, cost.model, ...tokens(cost.usage), duration(cost.elapsed)], columns);
}

export function tokens(usage: Usage | null): string[] {
  if (usage === null) return ["tokens unknown"];
  const cache = usage.cacheRead + usage.cacheWrite;
  return [`in ${count(usage.input)}`, `out ${count(usage.output)}`, ...(cache > 0 ? [`cache ${count(cache)}`] : [])];
}

function wrapItems(items: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && width(last) + 3 + width(item) <= columns) lines[lines.length - 1] = `${last} · ${item}`;
    else lines.push(item);
  }
  return lines.join("\n");
}
