import type { QuestionRequest } from "@beeuni/protocol";
import type { Sink } from "../io.ts";
import { oneLine } from "./plain.ts";
import { wrap } from "./width.ts";

/** Open questions with what can be chosen, and the command that answers them. */
export function questionsPage(requests: readonly QuestionRequest[], out: Pick<Sink, "columns" | "colours">): string {
  return requests.map((request) => page(request, out)).join("\n");
}

function page(request: QuestionRequest, { columns, colours }: Pick<Sink, "columns" | "colours">): string {
  const lines = [colours.dim(`${request.id}  ${request.session}`)];
  for (const { question, options, multiple, custom } of request.questions) {
    lines.push(...wrap(oneLine(question), columns).map(colours.bold));
    for (const { label, description } of options) lines.push(...indented(`${oneLine(label)}${description === "" ? "" : `: ${oneLine(description)}`}`, columns));
    const also = [...(multiple ? ["several may be chosen"] : []), ...(custom === false ? [] : ["or your own words"])];
    if (also.length > 0) lines.push(colours.dim(`  (${also.join("; ")})`));
  }
  const answers = request.questions.map(() => '--answer "…"').join(" ");
  lines.push(`beeuni question reply ${request.id} ${answers}`);
  return `${lines.join("\n")}\n`;
}

function indented(text: string, columns: number): string[] {
  return wrap(text, columns - 4).map((line, index) => (index === 0 ? `  - ${line}` : `    ${line}`));
}
