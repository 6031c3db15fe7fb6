import { BeeuniError, type TurnInfo } from "@beeuni/protocol";
import type { AcceptedPrompt, PromptInput, SessionHost } from "@beeuni/daemon";
import type { LogEvent, SessionState, StreamEvent } from "@beeuni/transcript";

/** What a turn needs of a session, whether it is open in this process or behind a server. */
export type TurnSession = Pick<SessionHost, "id" | "state" | "subscribe" | "abort"> & {
  prompt(input: PromptInput): Promise<Pick<AcceptedPrompt, "turn" | "done">>;
  /** What opening the session wrote, before anybody could listen. */
  earlier(): AsyncIterable<LogEvent>;
};

export interface DriveOptions {
  onEvent: (event: StreamEvent) => void;
  /** Stops the turn. What was said until then is kept. */
  stop: AbortSignal;
}

/** Sends the prompt, follows the turn, and gives it when it has ended, however it ended. */
export async function driveTurn(session: TurnSession, input: PromptInput, { onEvent, stop }: DriveOptions): Promise<TurnInfo> {
  const inOrder = afterEarlier(onEvent);
  const unsubscribe = session.subscribe(inOrder.live);
  const abort = (): void => void session.abort().catch(() => undefined);
  try {
    for await (const event of session.earlier()) inOrder.earlier(event);
    inOrder.release();
    if (stop.aborted) throw new BeeuniError("aborted", "stopped before the turn began");
    const accepted = await session.prompt(input);
    stop.addEventListener("abort", abort);
    // The signal may have come while the prompt was written down.
    if (stop.aborted) abort();
    return await accepted.done;
  } finally {
    stop.removeEventListener("abort", abort);
    unsubscribe();
  }
}

/** Puts what was before the subscription in front of what came with it; an event that is in both counts once. */
function afterEarlier(onEvent: (event: StreamEvent) => void): { earlier(event: LogEvent): void; live(event: StreamEvent): void; release(): void } {
  let held: StreamEvent[] | null = [];
  let last = 0;
  const live = (event: StreamEvent): void => {
    if (held !== null) held.push(event);
    else if (event.type === "part.delta" || event.seq === 0 || event.seq > last) onEvent(event);
  };
  return {
    live,
    earlier: (event) => {
      last = event.seq;
      onEvent(event);
    },
    release: () => {
      const waiting = held ?? [];
      held = null;
      waiting.forEach(live);
    },
  };
}

/** The turn's answer: the text of its last message that has any. Empty when the model said nothing. */
export function answerOf(session: SessionState, turn: string): string {
  for (const { info, parts } of session.messages.toReversed()) {
    if (info.role !== "assistant" || info.turn !== turn) continue;
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    if (text.trim() !== "") return text;
  }
  return "";
}
