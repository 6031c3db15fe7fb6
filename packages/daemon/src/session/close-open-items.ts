import type { NewEvent, SessionState, ToolFailure } from "@beeuni/transcript";

export interface Closing {
  /** Only what belongs to this turn; everything when left out. */
  turn?: string;
  at: number;
  failure: Extract<ToolFailure, "aborted" | "interrupted" | "failed">;
  /** What the open tool calls and messages say. */
  message: string;
  /** Newest text of a streamed part, where the log's snapshot is behind. */
  textOf?: (part: string) => string | undefined;
}

/** What was open and is closed by `events`. */
export interface Closed {
  events: NewEvent[];
  parts: string[];
}

/**
 * Ends every open part and assistant message, so that nothing in the transcript looks as if it went on. Texts keep
 * what arrived; a tool call without a result becomes an error of the given kind. Pure.
 */
export function closeOpenItems(session: SessionState, closing: Closing): Closed {
  const events: NewEvent[] = [];
  const parts: string[] = [];
  for (const { info, parts: held } of session.messages) {
    if (info.role !== "assistant" || (closing.turn !== undefined && info.turn !== closing.turn)) continue;
    for (const part of held) {
      if (part.type === "tool" && (part.state.status === "pending" || part.state.status === "running")) {
        const { input } = part.state;
        const started = part.state.status === "running" ? part.state : undefined;
        parts.push(part.id);
        events.push({
          type: "part.updated", session: info.session,
          part: {
            ...part,
            state: {
              status: "error", input, kind: closing.failure, error: closing.message, endedAt: closing.at,
              ...(started === undefined ? {} : { startedAt: started.startedAt }),
              ...(started?.metadata === undefined ? {} : { metadata: started.metadata }),
            },
          },
        });
      } else if ((part.type === "text" || part.type === "reasoning") && part.endedAt === undefined) {
        parts.push(part.id);
        events.push({
          type: "part.updated", session: info.session,
          part: { ...part, text: closing.textOf?.(part.id) ?? part.text, endedAt: closing.at },
        });
      }
    }
    if (info.endedAt === undefined) {
      events.push({
        type: "message.updated", session: info.session, message: info.id,
        patch: { endedAt: closing.at, usage: null, error: { code: closing.failure, message: closing.message } },
      });
    }
  }
  return { events, parts };
}
