import { z } from "zod";
import { Usage } from "./model.ts";

/**
 * One model request as the wire trace knows it. Everything is derived from the recorded bytes by a reader;
 * nothing here was computed while the request was under way.
 */
export const Call = z.object({
  /** `cal_…`, stable for the same recorded bytes. */
  id: z.string(),
  /** Number within the principal's trace, from 0. */
  number: z.number(),
  session: z.string(),
  turn: z.string().nullable(),
  /** main: the turn's own loop · sub: a sub-agent's · utility: titles, summaries · unknown. */
  role: z.enum(["main", "sub", "utility", "unknown"]),
  protocol: z.string(),
  method: z.string(),
  /** Target with the principal's token masked. */
  target: z.string(),
  provider: z.string().nullable(),
  model: z.object({ asked: z.string().nullable(), served: z.string().nullable() }),
  status: z.number().nullable(),
  /** complete: the protocol's own end was seen · cut: the upstream stopped early · aborted: the client went away · refused: no upstream was asked or it gave no answer · open: still running. */
  end: z.enum(["complete", "cut", "aborted", "refused", "open"]),
  error: z.string().nullable(),
  streamed: z.boolean(),
  /** Provider's id of the response, e.g. `chatcmpl-…`. */
  responseId: z.string().nullable(),
  toolCallIds: z.array(z.string()),
  finish: z.string().nullable(),
  usage: Usage.nullable(),
  startedAt: z.number(),
  /** Milliseconds from the request's arrival; null where it did not happen. */
  timing: z.object({ firstByte: z.number().nullable(), end: z.number().nullable() }),
  request: z.object({ bytes: z.number(), sha256: z.string() }),
  response: z.object({ bytes: z.number(), sha256: z.string(), encoding: z.string().nullable() }),
  /** Messages whose request this was, and how surely. */
  links: z.array(z.object({ message: z.string(), by: z.enum(["response-id", "tool-call-id", "turn-and-digest"]) })),
});
export type Call = z.infer<typeof Call>;

/** A recorded request as attribution sees it. `body` is the parsed JSON, undefined when the body is none. */
export interface RecordedRequest {
  method: string;
  target: string;
  protocol: string;
  /** As received; credentials are masked. */
  headers: readonly (readonly [string, string])[];
  body: unknown;
}

/** Whose call it was. `unknown` when unsure, never a guess. */
export interface CallAttribution {
  role: Call["role"];
  agent?: string;
  /** The harness's own id of the session that called. */
  nativeSession?: string;
}

/** Pure. An adapter supplies one for its harness; without one every call is the main loop's. */
export type AttributeCall = (request: RecordedRequest) => CallAttribution;
