import type { TurnInfo } from "@beeuni/protocol";
import type { Part, SessionState } from "@beeuni/transcript";

const MODEL = { provider: "up", id: "m" };

export interface MessageScript {
  id: string;
  turn: string;
  role?: "user";
  responseId?: string;
  /** Texts of its text parts. */
  text?: string | string[];
  reasoning?: string;
  toolCalls?: string[];
}

/** A session as the reducer would leave it. Part ids are `<message>.<n>`, counted from 0. Turn → its calls; `to` null: it runs still. */
export function sessionState(id: string, turns: { [turn: string]: [from: number, to: number | null] | null }, messages: readonly MessageScript[]): SessionState {
  return {
    info: { id, title: "", directory: "/w", agent: "build", model: MODEL, harness: "h", createdAt: 1, updatedAt: 1 },
    deleted: false, status: { type: "idle" }, permissions: [], questions: [], grants: [], notices: [], opened: null,
    turns: Object.entries(turns).map(([turn, calls]) => turnInfo(id, turn, calls)),
    messages: messages.map((script) => message(id, script)),
  } as SessionState;
}

function turnInfo(session: string, id: string, calls: [number, number | null] | null): TurnInfo {
  return {
    id, session, origin: "user", agent: "build", model: MODEL, startedAt: 1,
    ...(calls === null ? {} : { calls: [calls[0], calls[1] ?? calls[0]] }),
    ...(calls?.[1] === null ? {} : { endedAt: 2 }),
  };
}

function message(session: string, script: MessageScript): SessionState["messages"][number] {
  const { id, turn } = script;
  const texts = [script.text ?? []].flat();
  const bodies = [
    ...(script.reasoning === undefined ? [] : [{ type: "reasoning" as const, text: script.reasoning, startedAt: 1 }]),
    ...texts.map((text) => ({ type: "text" as const, text, startedAt: 1 })),
    ...(script.toolCalls ?? []).map((callId) => ({ type: "tool" as const, tool: "bash", callId, state: { status: "pending" as const, input: {} } })),
  ];
  const parts = bodies.map((body, index): Part => ({ ...body, id: `${id}.${index}`, session, message: id }));
  const base = { id, session, turn, at: 1, agent: "build", model: MODEL };
  if (script.role === "user") return { info: { ...base, role: "user" }, parts };
  return { info: { ...base, role: "assistant", ...(script.responseId === undefined ? {} : { responseId: script.responseId }) }, parts };
}
