import type { TurnInfo } from "@beeuni/protocol";
import type { BeeuniClient, Sessions, StateSnapshot } from "@beeuni/sdk";
import type { SessionState, StreamEvent } from "@beeuni/transcript";

type Prompt = Exclude<Parameters<Sessions["prompt"]>[1], string>;

export function promptOf(text: string, more: Partial<Prompt> = {}): Prompt {
  return { parts: [{ type: "text", text }], ...more };
}

/** Runs one prompt to its end. */
export async function turn(client: BeeuniClient, session: string, text: string, more: Partial<Prompt> = {}): Promise<TurnInfo> {
  return (await client.sessions.promptAndWait(session, promptOf(text, more))).result;
}

/** The same, and it must succeed. */
export async function completed(client: BeeuniClient, session: string, text: string, more: Partial<Prompt> = {}): Promise<void> {
  const { outcome, error } = await turn(client, session, text, more);
  if (outcome !== "completed") throw new Error(`the turn ended ${outcome}: ${JSON.stringify(error)}`);
}

/** The first state of the session, from now on, that is as wanted. */
export async function stateWhen(client: BeeuniClient, session: string, is: (state: SessionState) => boolean): Promise<SessionState> {
  const over = new AbortController();
  try {
    for await (const state of client.watch(session, { signal: over.signal })) if (is(state)) return state;
  } finally {
    over.abort();
  }
  throw new Error("the stream ended");
}

/** Every event of the session, from the beginning until the wanted one. */
export async function eventsUntil(client: BeeuniClient, session: string, is: (event: StreamEvent) => boolean): Promise<StreamEvent[]> {
  const over = new AbortController();
  const events: StreamEvent[] = [];
  try {
    for await (const item of client.events({ session, signal: over.signal })) {
      if (item.kind !== "event" && item.kind !== "delta") continue;
      events.push(item.event);
      if (is(item.event)) return events;
    }
  } finally {
    over.abort();
  }
  throw new Error("the stream ended");
}

/** The conversation in short: `user: …`, `assistant: …`, `bash completed: …`, `bash denied: …`. */
export function conversation({ messages }: Pick<StateSnapshot, "messages">): string[] {
  return messages.flatMap(({ info, parts }) => parts.map((part) => {
    switch (part.type) {
      case "text": return `${info.role}: ${part.text}`;
      case "reasoning": return `thought: ${part.text}`;
      case "file": return `${info.role} file: ${part.url}`;
      case "tool": {
        const { state } = part;
        if (state.status === "completed") return `${part.tool} completed: ${state.output.trim()}`;
        return state.status === "error" ? `${part.tool} ${state.kind}: ${state.error}` : `${part.tool} ${state.status}`;
      }
    }
  }));
}
