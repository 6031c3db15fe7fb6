import type { PermissionRequest } from "@beeuni/protocol";
import type { Sink } from "../io.ts";
import { oneLine } from "./plain.ts";
import { subjectOf } from "./tool.ts";
import { wrap } from "./width.ts";

/** Open permission requests: the whole call, what `always` would store, and the command that answers. */
export function permissionsPage(requests: readonly PermissionRequest[], out: Pick<Sink, "columns" | "colours">): string {
  return requests.map((request) => page(request, out)).join("\n");
}

/** What a person decides on, in one line: `bash  git push`. A tool without a subject shows its arguments. */
export function permissionSubject({ tool, patterns, metadata }: PermissionRequest): string {
  const subject = subjectOf(metadata) || oneLine(patterns.join(" · "));
  return subject === "" ? oneLine(tool) : `${oneLine(tool)}  ${subject}`;
}

function page(request: PermissionRequest, { columns, colours }: Pick<Sink, "columns" | "colours">): string {
  const { id, session, agent, permission, tool, patterns, always, metadata } = request;
  const asking = patterns.map(oneLine).join(" · ");
  // Nothing is cut: the end of a command decides as much as its beginning.
  const lines = [colours.dim(`${id}  ${session}`), ...wrap(permissionSubject(request), columns).map(colours.bold)];
  if (permission !== tool || (asking !== "" && asking !== subjectOf(metadata))) lines.push(...indented(`asks for ${permission}${asking === "" ? "" : `: ${asking}`}`, columns));
  lines.push(...indented(`always stores ${permission}: ${always.map(oneLine).join(" · ")} (agent ${agent}, this session)`, columns).map(colours.dim));
  lines.push(`beeuni permission reply ${id} once|always|reject`);
  return `${lines.join("\n")}\n`;
}

function indented(text: string, columns: number): string[] {
  return wrap(text, columns - 2).map((line) => `  ${line}`);
}
