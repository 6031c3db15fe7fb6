import type { HistoryMessage } from "@beeuni/harness";
import { GATEWAY } from "./names.ts";
import { ascendingId } from "./native-ids.ts";
import type { StoredMessage } from "./native-events.ts";

/** One event of OpenCode's own session log, as `POST /sync/replay` takes it. */
export interface SyncEvent { id: string; aggregateID: string; seq: number; type: string; data: object }

/** Whose answers the restored ones are said to be. */
export interface Author { agent: string; wireId: string; workspace: string }

/**
 * The transcript as events of a native session that has just been made: the model is then told the same texts and tool calls
 * as before. `now` is the time that the messages get, since ours are not known.
 */
export function historyEvents(session: string, history: readonly HistoryMessage[], author: Author, now: number): SyncEvent[] {
  const events: SyncEvent[] = [];
  const add = (type: string, data: object): void => {
    // The first event of a session is its creation.
    events.push({ id: ascendingId("evt", now), aggregateID: session, seq: events.length + 1, type, data: { sessionID: session, ...data } });
  };
  const model = { providerID: GATEWAY, modelID: author.wireId };
  let prompt: string | null = null;
  const ask = (): string => {
    const id = ascendingId("msg", now);
    add("message.updated.1", { info: { id, sessionID: session, role: "user", time: { created: now }, agent: author.agent, model } });
    return (prompt = id);
  };
  for (const message of history) {
    if (message.role === "user") {
      const id = ask();
      add("message.part.updated.1", { time: now, part: { id: ascendingId("prt", now), sessionID: session, messageID: id, type: "text", text: message.text } });
      continue;
    }
    // An answer to nothing: its prompt lies before what is told.
    const parentID: string = prompt ?? ask();
    const id = ascendingId("msg", now);
    const part = (fields: object): void => add("message.part.updated.1", { time: now, part: { id: ascendingId("prt", now), sessionID: session, messageID: id, ...fields } });
    add("message.updated.1", {
      info: {
        id, sessionID: session, role: "assistant", parentID, mode: author.agent, agent: author.agent, ...model, path: { cwd: author.workspace, root: author.workspace },
        cost: 0, tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }, time: { created: now, completed: now },
        finish: message.toolCalls.length > 0 ? "tool-calls" : "stop",
      },
    });
    const time = { start: now, end: now };
    if (message.text !== "") part({ type: "text", text: message.text, time });
    for (const { callId, tool, input, output, isError } of message.toolCalls) {
      part({ type: "tool", callID: callId, tool, state: isError ? { status: "error", input, error: output, time } : { status: "completed", input, output, title: tool, metadata: {}, time } });
    }
  }
  return events;
}

/** Whether OpenCode's own session lacks prompts that the transcript has: it was not written in time. Pure. */
export function isBehind(stored: readonly StoredMessage[], history: readonly HistoryMessage[]): boolean {
  const prompts = stored.filter(({ info, parts }) => info.role === "user" && parts.some((part) => part.type === "text" && part.synthetic !== true)).length;
  // A summary replaces what it sums up: fewer prompts than the transcript has are no loss then.
  const isSummarised = stored.some(({ info }) => info.role === "assistant" && info.summary === true);
  return !isSummarised && prompts < history.filter(({ role }) => role === "user").length;
}
