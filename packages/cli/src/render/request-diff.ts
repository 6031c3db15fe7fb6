import type { Call } from "@beeuni/protocol";
import type { Change, ParameterChange, RequestDiff, SharedPrefix } from "@beeuni/trace";
import type { Sink } from "../io.ts";
import { counted } from "./numbers.ts";
import { oneLine } from "./plain.ts";
import { truncate, wrap } from "./width.ts";

type Out = Pick<Sink, "columns" | "colours">;

/** What changed from one request to the next, section by section, and how much of the prompt a cache can use again. */
export function diffPage(before: Call, after: Call, diff: RequestDiff, out: Out): string {
  const head = `${before.id} (number ${before.number}) → ${after.id} (number ${after.number})\n`;
  if (!diff.comparable) return `${head}\n${wrap(`not comparable: ${diff.why}`, out.columns).join("\n")}\n`;
  const sections = (["tools", "system", "messages"] as const).map((name) => section(name, diff[name], out));
  const body = [...sections, parameters(diff.parameters, out)].filter((text) => text !== "").join("\n");
  return `${head}\n${body === "" ? "nothing changed\n" : body}\n${wrap(sharedLine(diff.prefix), out.columns).join("\n")}\n`;
}

function section(name: string, changes: readonly Change[], { columns, colours }: Out): string {
  if (changes.length === 0) return "";
  const lines = changes.flatMap((change) => {
    switch (change.kind) {
      case "added":
        return [colours.green(truncate(`+ ${change.after}  ${summary(change.value)}`, columns))];
      case "removed":
        return [colours.red(truncate(`- ${change.before}  ${summary(change.value)}`, columns))];
      case "rewritten": {
        const { path, sharedCharacters } = change.difference;
        const where = `${path === "" ? "" : `at ${path}`}${sharedCharacters === undefined ? "" : ` after ${sharedCharacters} characters`}`.trim();
        return [
          truncate(`~ ${change.after}  rewritten${where === "" ? "" : ` ${where}`}`, columns),
          colours.red(truncate(`  - ${summary(change.from, sharedCharacters)}`, columns)),
          colours.green(truncate(`  + ${summary(change.to, sharedCharacters)}`, columns)),
        ];
      }
    }
  });
  return `${colours.bold(name)}\n${lines.join("\n")}\n`;
}

function parameters(changes: readonly ParameterChange[], { columns, colours }: Out): string {
  if (changes.length === 0) return "";
  const value = (side: unknown): string => (side === undefined ? "absent" : JSON.stringify(side));
  return `${colours.bold("parameters")}\n${changes.map(({ name, before, after }) => truncate(`~ ${name}: ${value(before)} → ${value(after)}`, columns)).join("\n")}\n`;
}

/** An element in one line: its role or name, then its text. `from` skips text that both sides share. */
function summary(value: unknown, from = 0): string {
  if (typeof value !== "object" || value === null) return oneLine(String(value).slice(Math.max(0, from - 20)));
  const element = value as Record<string, unknown>;
  const named = element["role"] ?? element["name"] ?? (element["function"] as { name?: unknown } | undefined)?.name ?? element["type"];
  const content = element["content"] ?? element["text"];
  const calls = Array.isArray(element["tool_calls"]) ? element["tool_calls"].map((call) => JSON.stringify((call as { function?: unknown }).function)) : [];
  const text = typeof content === "string" && content !== "" ? content.slice(from > 40 ? from - 20 : 0) : calls.length === 0 ? JSON.stringify(value) : "";
  return oneLine([typeof named === "string" ? `${named}:` : "", text.slice(0, 2000), ...calls].join(" "));
}

function sharedLine({ tools, system, messages, breaksAt }: SharedPrefix): string {
  const shared = `${counted(tools, "tool")}, ${counted(system, "system block")}, ${counted(messages, "message")}`;
  if (breaksAt === null) return `The earlier prompt is a prefix of the later one (${shared}): a cache can use all of it.`;
  const where = breaksAt.section === "model" ? "the model" : `${breaksAt.section}[${breaksAt.index}]${breaksAt.path}`;
  return `Shared from the start: ${shared}. A cache is of no use from ${where} on.`;
}
