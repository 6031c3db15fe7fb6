import type { Call } from "@beeuni/protocol";
import type { StoredCall } from "@beeuni/trace";
import type { Sink } from "../io.ts";
import { count, duration, size } from "./numbers.ts";
import { visible } from "./plain.ts";
import { fields, table } from "./table.ts";
import { tokens } from "./usage-line.ts";

/** The list of `call ls`, in the order of the trace. */
export function callTable(calls: readonly Call[], out: Pick<Sink, "columns" | "colours">): string {
  return table(
    calls,
    [
      { title: "#", cell: (call) => String(call.number), align: "right" },
      { title: "call", cell: (call) => call.id, short: (call) => call.id.slice(0, 16), drop: 6 },
      { title: "role", cell: (call) => call.role, drop: 5 },
      { title: "model", cell: (call) => call.model.asked ?? "?", shrink: 8, drop: 3 },
      { title: "end", cell: ending },
      { title: "in", cell: (call) => (call.usage === null ? "?" : count(call.usage.input)), align: "right", drop: 2 },
      { title: "out", cell: (call) => (call.usage === null ? "?" : count(call.usage.output)), align: "right", drop: 2 },
      { title: "took", cell: (call) => (call.timing.end === null ? "" : duration(call.timing.end)), align: "right", drop: 4 },
      { title: "message", cell: messages, short: (call) => call.links.map((link) => link.message.slice(0, 16)).join(" ") || "unknown", shrink: 12 },
    ],
    out.columns,
    out.colours,
  );
}

function ending(call: Call): string {
  if (call.end === "complete") return String(call.status ?? "complete");
  return [call.status, call.end].filter((word) => word !== null).join(" ");
}

function messages(call: Call): string {
  return call.links.map((link) => link.message).join(" ") || "unknown";
}

/** What is known of one call. Token counts, models and links that are not known say so. */
export function callPage(call: Call, stored: Pick<StoredCall, "attempts" | "notes">, out: Pick<Sink, "colours">): string {
  const model = call.model.served === null || call.model.served === call.model.asked ? (call.model.asked ?? "unknown") : `${call.model.asked ?? "unknown"}, served by ${call.model.served}`;
  const links = call.links.map((link) => `${link.message} (by ${link.by.replaceAll("-", " ")})`);
  const { firstByte, end } = call.timing;
  return fields(
    [
      ["call", `${call.id} (number ${call.number})`],
      ["session", call.session],
      ["turn", call.turn ?? "unknown"],
      ["role", call.role],
      ["message", links.join(", ") || "unknown"],
      ["model", model],
      ["provider", call.provider ?? "unknown"],
      ["request", `${call.method} ${call.target}  (${call.protocol})`],
      ...stored.attempts.map(({ provider, upstream }) => ["asked", `${provider} ${upstream}`] as const),
      ["end", `${call.status ?? "no status"} ${call.end}${call.error === null ? "" : `: ${call.error}`}`],
      ["tokens", call.usage === null ? "unknown" : tokens(call.usage).join(" · ")],
      ["started", new Date(call.startedAt).toISOString()],
      ["times", [firstByte === null ? "no byte came" : `first byte ${duration(firstByte)}`, end === null ? "not ended" : `whole ${duration(end)}`].join(" · ")],
      ["sent", `${size(call.request.bytes)}  sha256 ${call.request.sha256}`],
      ["received", `${size(call.response.bytes)}  sha256 ${call.response.sha256}${call.response.encoding === null ? "" : `  (${call.response.encoding})`}`],
      ...stored.notes.map((note) => ["note", note] as const),
      ["look", `beeuni call show ${call.id} --request|--response [--raw] · beeuni call diff ${call.id}`],
    ],
    out.colours,
  );
}

/** One side of a call as it is shown: its first line, its headers (credentials are masked on record), its body as text. */
export interface Exchange {
  line: string;
  headers: [string, string][];
  body: string;
  problem: string | null;
}

export function exchangePage({ line, headers, body }: Exchange, out: Pick<Sink, "colours" | "isTerminal">): string {
  const text = pretty(body);
  const head = [out.colours.bold(line), ...headers.map(([name, value]) => `${out.colours.dim(`${name}:`)} ${visible(value)}`)].join("\n");
  return `${head}\n\n${out.isTerminal ? visible(text) : text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
