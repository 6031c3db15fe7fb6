import { formatModelRef } from "@beeuni/protocol";
import type { Part, SessionState } from "@beeuni/transcript";
import type { Sink } from "../io.ts";
import { visible } from "./plain.ts";
import { toolHeading, toolOutcome } from "./tool.ts";
import { tokens } from "./usage-line.ts";

/**
 * A session as `session messages` prints it. Above every message stands its id, which `call show` takes: the way from
 * an answer to the request that produced it.
 */
export function conversation(session: SessionState, out: Pick<Sink, "columns" | "colours" | "isTerminal">): string {
  const columns = Math.min(out.columns, 120);
  const { dim, bold, red } = out.colours;
  const blocks = session.messages.map(({ info, parts }) => {
    const about = info.role === "user" ? info.agent : [formatModelRef(info.model), ...(info.endedAt === undefined ? [] : tokens(info.usage ?? null))].join(" · ");
    const body = parts.flatMap((part) => partLines(part, columns, out));
    const error = info.role === "assistant" && info.error !== undefined ? [`${red("✗")} ${info.error.message}`] : [];
    return [`${bold(info.role)} ${dim(`${info.id} · ${about}`)}`, ...body, ...error].join("\n");
  });
  return blocks.length === 0 ? "no messages yet\n" : `${blocks.join("\n\n")}\n`;
}

function partLines(part: Part, columns: number, out: Pick<Sink, "colours" | "isTerminal">): string[] {
  const text = (value: string): string => (out.isTerminal ? visible(value) : value).replace(/\n+$/, "");
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : text(part.text).split("\n");
    case "reasoning":
      return part.text === "" ? [] : [out.colours.dim("○ thinking"), ...text(part.text).split("\n").map((line) => out.colours.dim(`  ${line}`))];
    case "file":
      return [`  file ${part.filename ?? part.mime}`];
    case "tool":
      return [toolHeading(part, columns, out.colours), ...toolOutcome(part, columns, out.colours)];
  }
}
