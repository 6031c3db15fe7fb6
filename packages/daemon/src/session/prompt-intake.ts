import { BeeuniError, type ModelRef, newId, type PromptPart } from "@beeuni/protocol";
import type { TurnInput } from "@beeuni/harness";
import type { NewEvent, Part, SessionState, UserMessage } from "@beeuni/transcript";

export interface Intake {
  session: string;
  message: string;
  turn: string;
  at: number;
  agent: string;
  model: ModelRef;
  parts: readonly PromptPart[];
}

/**
 * What an accepted prompt puts into the log: the user message with its parts, in one line, so that no death leaves half of
 * it; and the title when the session has none. Pure.
 */
export function promptEvents(intake: Intake, state: SessionState): NewEvent[] {
  const { session, message, turn, at, agent, model, parts } = intake;
  const info: UserMessage = { id: message, session, role: "user", turn, at, agent, model };
  const title = state.info.title === "" ? titleOf(parts) : "";
  return [
    {
      type: "message.created", session, message: info,
      parts: parts.map((part, index): Part => {
        const base = { id: idOf(part, parts.slice(0, index), state), session, message };
        return part.type === "text"
          ? { ...base, type: "text", text: part.text, startedAt: at, endedAt: at }
          : { ...base, type: "file", mime: part.mime, url: part.url, ...(part.filename === undefined ? {} : { filename: part.filename }) };
      }),
    },
    ...(title === "" ? [] : [{ type: "session.updated" as const, session, patch: { title } }]),
  ];
}

/** A client may have shown the part under its own id already. One that is taken names another part. */
function idOf({ id }: PromptPart, earlier: readonly PromptPart[], { messages }: SessionState): string {
  const isTaken = earlier.some((part) => part.id === id) || messages.some(({ parts }) => parts.some((part) => part.id === id));
  return id === undefined || isTaken ? newId("prt") : id;
}

/** The prompt's parts as a harness takes them. */
export function turnParts(parts: readonly PromptPart[]): TurnInput["parts"] {
  return parts.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const { id: _, filename, ...file } = part;
    return filename === undefined ? file : { ...file, filename };
  });
}

/** The message of an earlier request with this id. Throws when the id belongs to something else. */
export function earlierPrompt(id: string, state: SessionState): UserMessage | undefined {
  const found = state.messages.find(({ info }) => info.id === id)?.info;
  if (found === undefined) return undefined;
  if (found.role === "user") return found;
  throw new BeeuniError("invalid_request", `message_id: ${id} is the id of an answer`, { hint: "make a new id for a new prompt" });
}

/** First line of the prompt, at most 80 characters. */
function titleOf(parts: readonly PromptPart[]): string {
  const text = parts.find((part) => part.type === "text" && part.text.trim() !== "");
  const line = text?.type === "text" ? (text.text.trim().split(/\r?\n/, 1)[0] ?? "") : "";
  const characters = [...line.slice(0, 400)];
  return characters.length <= 80 ? line : `${characters.slice(0, 79).join("")}…`;
}
