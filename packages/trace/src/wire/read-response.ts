// SSE framing has corners (CR, BOM, several data lines) that a kept library gets right.
import { createParser } from "eventsource-parser";
import { fields, parseJson } from "./fields.ts";
import { emptyFacts, errorMessage, type ResponseFacts, type WireProtocol } from "./response-facts.ts";

export interface ReadResponse {
  streamed: boolean;
  facts: ResponseFacts;
  /** Not streamed only: the body is whole JSON. */
  json: boolean;
  notes: string[];
}

/**
 * Reads a response's decoded text. `atEnd`: HTTP says that nothing follows, so that a last event without its blank line
 * counts. A protocol of null reads nothing but an error's message.
 */
export function readResponse(
  text: string, response: { status: number; contentType: string | null; atEnd: boolean }, protocol: WireProtocol | null,
): ReadResponse {
  const facts = emptyFacts();
  const notes: string[] = [];
  const streamed = isEventStream(text, response.contentType);
  if (streamed) {
    if (protocol !== null) readEvents(response.atEnd ? `${text}\n\n` : text, protocol.stream(facts), notes);
    return { streamed, facts, json: false, notes };
  }
  const body = parseJson(text);
  const failed = response.status >= 400;
  if (failed) facts.error = errorMessage(body) ?? (text.trim() === "" ? null : text.trim().slice(0, 500));
  else if (protocol !== null && body !== undefined) {
    protocol.body(body, facts);
    if (fields(body)["error"] !== undefined) facts.error ??= errorMessage(body);
  }
  return { streamed, facts, json: body !== undefined, notes };
}

/** By the content type; some servers leave it out, so that the first line tells. */
function isEventStream(text: string, contentType: string | null): boolean {
  if (contentType !== null && /^text\/event-stream\b/i.test(contentType)) return true;
  return (contentType === null || /^text\/plain\b/i.test(contentType)) && /^\uFEFF?(data|event|id|retry)?:/.test(text);
}

function readEvents(text: string, read: (event: { name: string | null; data: unknown }) => void, notes: string[]): void {
  let count = 0;
  const parser = createParser({
    onEvent({ event, data }) {
      count++;
      const value = parseJson(data);
      if (value === undefined && data !== "[DONE]") notes.push(`event ${count} of the response is not JSON`);
      read({ name: event ?? null, data: value ?? data });
    },
  });
  parser.feed(text);
}
