import { type EnforcedRule, formatModelRef, type SessionEntry, type TurnInfo } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import type { Colours, Sink } from "../io.ts";
import { ago, duration } from "./numbers.ts";
import { permissionSubject } from "./permissions.ts";
import { oneLine } from "./plain.ts";
import { rulesTable } from "./rules.ts";
import { shortIds } from "./short-ids.ts";
import { fields, table } from "./table.ts";
import { tokens } from "./usage-line.ts";

/** The list of `session ls`, in the order given. `folders`: the sessions are of several folders. */
export function sessionTable(entries: readonly SessionEntry[], now: number, out: Pick<Sink, "columns" | "colours">, { folders = false } = {}): string {
  const short = shortIds(entries.map((entry) => entry.id));
  return table(
    entries,
    [
      { title: "session", cell: (entry) => entry.id, short: (entry) => short.get(entry.id)! },
      { title: "updated", cell: (entry) => ago(entry.updatedAt, now) },
      { title: "status", cell: (entry) => entry.status.type, drop: 1 },
      { title: "harness", cell: (entry) => entry.harness, drop: 2 },
      { title: "model", cell: (entry) => formatModelRef(entry.model), drop: 3 },
      { title: "messages", cell: (entry) => String(entry.messages), align: "right", drop: 4 },
      { title: "title", cell: (entry) => entry.title, shrink: 12 },
      ...(folders ? [{ title: "folder", cell: (entry: SessionEntry) => entry.directory, shrink: 12 }] : []),
    ],
    out.columns,
    out.colours,
  );
}

/** The page of `session show`. */
export function sessionPage(session: SessionState, now: number, out: Pick<Sink, "columns" | "colours">): string {
  const { info, opened } = session;
  const head = fields(
    [
      ["session", info.id],
      ["title", oneLine(info.title)],
      ["folder", info.directory],
      ["status", session.status.type],
      ["agent", info.agent],
      ["model", formatModelRef(info.model)],
      ["harness", opened === null ? info.harness : `${info.harness}${opened.harnessVersion === null ? "" : ` ${opened.harnessVersion}`} (${opened.decision.reason})`],
      ["created", new Date(info.createdAt).toISOString()],
      ["updated", `${new Date(info.updatedAt).toISOString()} (${ago(info.updatedAt, now)})`],
    ],
    out.colours,
  );
  const outcome = (turn: TurnInfo): string => turn.outcome ?? (session.status.type === "idle" ? "interrupted" : "running");
  // When a killed process stopped working on its turn, nobody knows.
  const turns = table(
    session.turns,
    [
      { title: "turn", cell: (turn) => turn.id, short: (turn) => turn.id.slice(0, 16), drop: 3 },
      { title: "began by", cell: (turn) => turn.origin, drop: 4 },
      { title: "outcome", cell: outcome },
      { title: "tokens", cell: (turn) => (turn.endedAt === undefined ? "" : tokens(turn.usage ?? null).join(" ")), drop: 1 },
      { title: "took", cell: (turn) => (outcome(turn) === "interrupted" ? "?" : duration((turn.endedAt ?? now) - turn.startedAt)), align: "right", drop: 2 },
      { title: "error", cell: (turn) => turn.error?.message ?? "", shrink: 12 },
    ],
    out.columns,
    out.colours,
  );
  const rules = rulesTable(rulesOf(session), out);
  return [head, turnsBlock(session, turns), rules, waiting(session, out.colours), notices(session, out.colours)].filter((block) => block !== "").join("\n");
}

/** The rules that the session started with, and what a person has answered with "always" since. */
function rulesOf({ info, opened, grants }: SessionState): { [agent: string]: EnforcedRule[] } {
  const rules: { [agent: string]: EnforcedRule[] } = { [info.agent]: opened?.rules.slice() ?? [] };
  for (const { agent, permission, pattern } of grants) (rules[agent] ??= []).push({ permission, pattern, action: "allow", enforcer: "host", reason: "answered always" });
  return rules;
}

function turnsBlock(session: SessionState, turns: string): string {
  return session.turns.length === 0 ? "no turns yet\n" : turns;
}

function waiting(session: SessionState, colours: Colours): string {
  const lines = [
    ...session.permissions.map((request) => `${request.id}  ${permissionSubject(request)}`),
    ...session.questions.map((request) => `${request.id}  ${oneLine(request.questions.map((item) => item.question).join(" · "))}`),
  ];
  return lines.length === 0 ? "" : `${colours.yellow("waits for an answer")}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function notices(session: SessionState, colours: Colours): string {
  if (session.notices.length === 0) return "";
  return `${colours.dim("notices")}\n${session.notices.map((notice) => `  ${notice.level}: ${oneLine(notice.message)}\n`).join("")}`;
}
