// zod: events come from a file or a wire; one schema gives their types and checks them there.
import { z } from "zod";
import {
  EnforcedRule, HarnessDecision, ModelRef, PermissionReply, PermissionRequest, QuestionRequest, SessionInfo, TurnError,
  TurnOrigin, TurnOutcome, Usage,
} from "@beeuni/protocol";
import { AssistantMessage, Message, Part } from "./parts.ts";

/** Format id in the first line of every log. Additions only within it; readers skip event types they don't know. */
export const TRANSCRIPT_FORMAT = "beeuni.transcript.v1";

const body = {
  "session.created": z.object({ format: z.literal(TRANSCRIPT_FORMAT), info: SessionInfo }),
  "session.updated": z.object({ patch: SessionInfo.pick({ title: true, agent: true, model: true, harness: true, archivedAt: true }).partial() }),
  "session.deleted": z.object({}),
  /** A daemon opened the session: its epoch, the harness decision, and who enforces which rule. */
  "session.opened": z.object({
    epoch: z.string(), decision: HarnessDecision, harnessVersion: z.string().nullable(), rules: z.array(EnforcedRule),
    isolation: z.string(),
  }),
  /** What a daemon found unfinished when it opened the log after a crash, and closed. */
  "session.recovered": z.object({
    turn: z.string().optional(), parts: z.array(z.string()), permissions: z.array(z.string()), questions: z.array(z.string()),
    tornBytes: z.number(),
  }),
  /** Something a person should know: a skipped tool module, a lost event, an unknown agent field. */
  "session.notice": z.object({ level: z.enum(["info", "warning", "error"]), code: z.string(), message: z.string() }),
  "turn.started": z.object({
    turn: z.string(), origin: TurnOrigin, prompt: z.string().optional(), agent: z.string(), model: ModelRef, harness: z.string(),
    callsFrom: z.number(),
  }),
  "turn.retry": z.object({ turn: z.string(), attempt: z.number(), message: z.string(), nextAt: z.number() }),
  /** A person or client asked to stop; the turn ends when the harness has. */
  "turn.aborting": z.object({ turn: z.string() }),
  "turn.ended": z.object({
    turn: z.string(), outcome: TurnOutcome, error: TurnError.optional(), usage: Usage.nullable(), callsTo: z.number(),
  }),
  /** A prompt comes with its parts: it is in the log whole or not at all. Those of an answer follow as they are made. */
  "message.created": z.object({ message: Message, parts: z.array(Part).optional() }),
  "message.updated": z.object({
    message: z.string(),
    patch: AssistantMessage.pick({ endedAt: true, usage: true, finish: true, error: true, responseId: true }).partial(),
  }),
  "message.removed": z.object({ message: z.string() }),
  /** The whole part: a new one, or the new state of a known one. */
  "part.updated": z.object({ part: Part }),
  /** The whole text so far of a part that is still being streamed. Replaces, never adds. */
  "part.snapshot": z.object({ part: z.string(), text: z.string() }),
  "permission.asked": z.object({ request: PermissionRequest }),
  "permission.replied": z.object({
    id: z.string(), reply: PermissionReply, always: z.array(z.string()), message: z.string().optional(),
    by: z.enum(["client", "flag", "abort", "recovery"]),
  }),
  "question.asked": z.object({ request: QuestionRequest }),
  "question.replied": z.object({ id: z.string(), answers: z.array(z.array(z.string())) }),
  "question.rejected": z.object({ id: z.string(), by: z.enum(["client", "abort", "recovery", "headless"]) }),
} as const;

type Bodies = { [K in keyof typeof body]: z.infer<(typeof body)[K]> };
export type EventType = keyof Bodies;

/** An event as its emitter writes it: no number and no time yet. `session` names the session of the tree it belongs to. */
export type NewEvent = { [K in EventType]: { type: K; session: string } & Bodies[K] }[EventType];
/** An event of the log. `seq` counts up by one from 1; `at` is unix milliseconds and never goes back. */
export type LogEvent = { [K in EventType]: { seq: number; at: number; type: K; session: string } & Bodies[K] }[EventType];

/**
 * More text of a streamed part. Never in the log and without an SSE id; `offset` is the length (UTF-16 units) of the
 * text before it, so that applying one twice changes nothing.
 */
export interface PartDelta {
  type: "part.delta";
  session: string;
  part: string;
  offset: number;
  delta: string;
}
/** What the event stream carries. */
export type StreamEvent = LogEvent | PartDelta;

/** Schemas by event type, for borders: reading a log line, the SDK, the generated reference. */
export const EVENT_SCHEMAS = body;

const envelope = z.object({ seq: z.number().int().positive(), at: z.number(), type: z.string(), session: z.string() });

/** Checks one parsed log line. Null for an event type of a later version. Throws a ZodError when the line is malformed. */
export function parseLogEvent(value: unknown): LogEvent | null {
  const head = envelope.parse(value);
  const schema = (body as Record<string, z.ZodType | undefined>)[head.type];
  if (schema === undefined) return null;
  return { ...(schema.parse(value) as object), seq: head.seq, at: head.at, type: head.type, session: head.session } as LogEvent;
}
