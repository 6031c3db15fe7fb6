import type { TurnError, TurnInfo } from "@beeuni/protocol";
import type { AssistantMessage, Part, UserMessage } from "../parts.ts";
import type { SessionState } from "../state.ts";
import { wireError } from "./error.ts";
import { stepFinish, stepStart, wirePart } from "./part.ts";
import { NO_TOKENS, wireTokens } from "./tokens.ts";
import type { WireAssistantInfo, WireMessage, WirePart, WireUserInfo } from "./types.ts";

type Held = SessionState["messages"];
export type FindTurn = (id: string) => TurnInfo | undefined;

/** The message at this place of the session, with the parts that frame its model step. */
export function wireMessageAt(session: SessionState, at: number, turnOf: FindTurn = turnsFromEnd(session)): WireMessage {
  const { info, parts } = session.messages[at]!;
  const shown = parts.map((part) => wirePart(part, info.at));
  if (info.role === "user") return { info: wireUser(info), parts: shown.map(untimed) };
  const projected = wireAssistant(session, at, info, parts, turnOf(info.turn));
  return {
    info: projected,
    parts: [stepStart(info), ...shown, ...(projected.finish === undefined ? [] : [stepFinish(info, projected.finish)])],
  };
}

export function turnsFromEnd({ turns }: SessionState): FindTurn {
  return (id) => turns.findLast((turn) => turn.id === id);
}

function wireUser({ id, session, at, agent, model }: UserMessage): WireUserInfo {
  return {
    id, sessionID: session, role: "user", time: { created: at }, agent,
    model: { providerID: model.provider, modelID: model.id, ...(model.variant === undefined ? {} : { variant: model.variant }) },
  };
}

function untimed(part: WirePart): WirePart {
  if (part.type !== "text") return part;
  const { time: _, ...text } = part;
  return text;
}

function wireAssistant(session: SessionState, at: number, info: AssistantMessage, parts: readonly Part[], turn: TurnInfo | undefined): WireAssistantInfo {
  const completed = endOf(info, parts);
  const isOver = completed !== undefined;
  const error = info.error ?? errorOfTurn(session.messages, at, turn);
  const { provider, id, variant } = info.model;
  return {
    id: info.id, sessionID: info.session, role: "assistant", time: { created: info.at, ...(isOver ? { completed } : {}) },
    parentID: info.parent ?? askedBefore(session.messages, at) ?? standIn(info.turn), modelID: id, providerID: provider, ...(variant === undefined ? {} : { variant }),
    mode: info.agent, agent: info.agent, path: { cwd: session.info.directory, root: session.info.directory }, cost: 0,
    tokens: isOver ? wireTokens(info.usage) : NO_TOKENS,
    ...(isOver && info.finish !== undefined && info.finish !== CUT_OFF ? { finish: info.finish } : {}),
    ...(isOver && error !== undefined ? { error: wireError(error, provider) } : {}),
  };
}

/** No reason that a model gives: what a stop cut off has not finished. */
const CUT_OFF = "aborted";

/**
 * When the model step was over. Harnesses tell the end of a message before or after its tool calls ran; for the wire a
 * step is over with its last call.
 */
function endOf({ endedAt }: AssistantMessage, parts: readonly Part[]): number | undefined {
  let end = endedAt;
  for (const part of parts) {
    if (part.type !== "tool") continue;
    if (part.state.status === "pending" || part.state.status === "running") return undefined;
    if (end !== undefined) end = Math.max(end, part.state.endedAt);
  }
  return end;
}

/** A turn that did not end well shows it on its last message, also when that one went well. */
function errorOfTurn(messages: Held, at: number, turn: TurnInfo | undefined): TurnError | undefined {
  const error = turn === undefined ? undefined : turnError(turn);
  if (error === undefined) return undefined;
  const isLast = !messages.slice(at + 1).some(({ info }) => info.role === "assistant" && info.turn === turn!.id);
  return isLast ? error : undefined;
}

/** What went wrong with a turn; undefined while it runs, and when nothing did. */
export function turnError({ outcome, error }: TurnInfo): TurnError | undefined {
  if (outcome === undefined || outcome === "completed") return undefined;
  if (error !== undefined) return error;
  if (outcome === "failed") return { code: "unknown", message: "The turn failed." };
  return { code: outcome, message: outcome === "aborted" ? "The turn was stopped." : "The process ended before the turn did." };
}

/** A turn that the harness began by itself answers, for the wire, the last prompt before it. */
function askedBefore(messages: Held, at: number): string | undefined {
  return messages.slice(0, at).findLast(({ info }) => info.role === "user")?.info.id;
}

/** Sub-agents have no prompt of a person; the wire wants an id there. */
function standIn(turn: string): string {
  return `msg_${turn.slice(turn.indexOf("_") + 1)}`;
}

/**
 * A turn that ended without a message of the model: clients wait for one, and look for the error in it. Undefined for a turn
 * that has one or is not over.
 */
export function answerlessTurn(session: SessionState, turn: TurnInfo): WireMessage | undefined {
  if (turn.endedAt === undefined || session.messages.some(({ info }) => info.role === "assistant" && info.turn === turn.id)) return undefined;
  const error = turnError(turn);
  const { provider, id, variant } = turn.model;
  const message = standIn(turn.id);
  return {
    info: {
      id: message, sessionID: session.info.id, role: "assistant", time: { created: turn.startedAt, completed: turn.endedAt },
      parentID: turn.prompt ?? session.messages.findLast(({ info }) => info.role === "user" && info.id < message)?.info.id ?? message,
      modelID: id, providerID: provider, ...(variant === undefined ? {} : { variant }),
      mode: turn.agent, agent: turn.agent, path: { cwd: session.info.directory, root: session.info.directory }, cost: 0, tokens: NO_TOKENS,
      ...(error === undefined ? {} : { error: wireError(error, provider) }),
    },
    parts: [],
  };
}
