import { EMPTY_TREE, type LogEvent, type NewEvent, reduceAll, type SessionState, type TreeState } from "@beeuni/transcript";

export const MODEL = { provider: "faux", id: "demo" };
export const SESSION = "ses_1";

/** The fold of events that a log would hold. */
export function folded(events: readonly NewEvent[], from: TreeState = EMPTY_TREE): TreeState {
  return reduceAll(from, events.map((event, index) => ({ ...event, seq: from.seq + index + 1, at: 1000 + from.seq + index }) as LogEvent));
}

export function sessionOf(tree: TreeState): SessionState {
  return tree.sessions[SESSION]!;
}

export const created: NewEvent = {
  type: "session.created", session: SESSION, format: "beeuni.transcript.v1",
  info: { id: SESSION, title: "test", directory: "/w", agent: "build", model: MODEL, harness: "scripted", createdAt: 1000, updatedAt: 1000 },
};

/** A prompt that was accepted. */
export function prompted(turn: string, text: string): NewEvent[] {
  const message = `msg_${turn}`;
  return [
    {
      type: "message.created", session: SESSION,
      message: { id: message, session: SESSION, role: "user", turn, at: 1000, agent: "build", model: MODEL },
      parts: [{ id: `prt_${turn}`, session: SESSION, message, type: "text", text, startedAt: 1000, endedAt: 1000 }],
    },
  ];
}

export function started(turn: string): NewEvent {
  return { type: "turn.started", session: SESSION, turn, origin: "user", prompt: `msg_${turn}`, agent: "build", model: MODEL, harness: "scripted", callsFrom: 0 };
}

export function ended(turn: string): NewEvent {
  return { type: "turn.ended", session: SESSION, turn, outcome: "completed", usage: null, callsTo: 1 };
}

export function answering(turn: string, message: string): NewEvent {
  return {
    type: "message.created", session: SESSION,
    message: { id: message, session: SESSION, role: "assistant", turn, at: 1000, parent: `msg_${turn}`, agent: "build", model: MODEL },
  };
}

export function answered(message: string, usage: { input: number; output: number } | null): NewEvent {
  return {
    type: "message.updated", session: SESSION, message,
    patch: { endedAt: 1001, finish: "stop", usage: usage === null ? null : { ...usage, reasoning: 0, cacheRead: 0, cacheWrite: 0 } },
  };
}

export function textPart(id: string, message: string, text: string, endedAt?: number): NewEvent {
  return {
    type: "part.updated", session: SESSION,
    part: { id, session: SESSION, message, type: "text", text, startedAt: 1000, ...(endedAt === undefined ? {} : { endedAt }) },
  };
}

export function runningTool(id: string, message: string): NewEvent {
  return {
    type: "part.updated", session: SESSION,
    part: {
      id, session: SESSION, message, type: "tool", tool: "bash", callId: `call_${id}`,
      state: { status: "running", input: { command: "sleep 9" }, startedAt: 1000 },
    },
  };
}

export function asked(id: string, turn: string): NewEvent {
  return {
    type: "permission.asked", session: SESSION,
    request: { id, session: SESSION, turn, agent: "build", permission: "bash", tool: "bash", patterns: ["ls"], always: ["ls *"], metadata: {} },
  };
}

export function questioned(id: string, turn: string): NewEvent {
  return {
    type: "question.asked", session: SESSION,
    request: { id, session: SESSION, turn, questions: [{ question: "Which?", header: "Which", options: [{ label: "a", description: "" }] }] },
  };
}
