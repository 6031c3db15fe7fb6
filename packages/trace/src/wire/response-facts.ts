import type { Usage } from "@beeuni/protocol";
import { fields, string } from "./fields.ts";

/** What a response says about itself, in the words of its protocol. */
export interface ResponseFacts {
  responseId: string | null;
  /** Model that the response names. */
  served: string | null;
  finish: string | null;
  /** null: not reported, or not reported to its end. `output` includes the reasoning tokens. */
  usage: Usage | null;
  /** Calls that the harness is asked to make. Tools that the provider runs itself are not among them. */
  toolCallIds: string[];
  /** The assistant's text, without reasoning. */
  text: string;
  error: string | null;
  /** The protocol's own end was seen. */
  ended: boolean;
}

export function emptyFacts(): ResponseFacts {
  return { responseId: null, served: null, finish: null, usage: null, toolCallIds: [], text: "", error: null, ended: false };
}

/** One server-sent event; `data` is parsed JSON, or the text when it is none (`[DONE]`). */
export interface WireEvent {
  name: string | null;
  data: unknown;
}

/** How one model protocol is read. Pure. */
export interface WireProtocol {
  /** What ends a stream, for messages. */
  endMark: string;
  /** A reader of one stream: called with every event in order, it fills `facts`. */
  stream(facts: ResponseFacts): (event: WireEvent) => void;
  /** Reads the body of a response that is not streamed. */
  body(body: unknown, facts: ResponseFacts): void;
}

export function addToolCall(facts: ResponseFacts, id: unknown): void {
  if (typeof id === "string" && id !== "" && !facts.toolCallIds.includes(id)) facts.toolCallIds.push(id);
}

/** The message of an error body in any of the usual shapes; null when there is none. */
export function errorMessage(body: unknown): string | null {
  const { error, message } = fields(body);
  return string(error) ?? string(fields(error)["message"]) ?? string(fields(error)["code"]) ?? string(message);
}
