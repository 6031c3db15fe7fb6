import type { CallEnd } from "./types.ts";
import { callId } from "./call-id.ts";
import type { CallRecord } from "./call-record.ts";
import type { RequestFacts } from "./read-request.ts";
import { headerValue } from "./record.ts";
import type { StoredCall } from "./stored-call.ts";
import { sha256, textDigest } from "./text-digest.ts";
import { decodeContent } from "./wire/content-coding.ts";
import { WIRE_PROTOCOLS } from "./wire/protocols.ts";
import { readResponse, type ReadResponse } from "./wire/read-response.ts";
import type { WireProtocol } from "./wire/response-facts.ts";

export interface DeriveContext {
  /** Principal of the trace: the session's id. */
  session: string;
  /** Whether a writer may still be at work. When it is gone, a call without an end was cut. */
  writer: "running" | "gone";
}

/** Everything a call is, from its recorded bytes. Pure: the same bytes give the same call, however they were split. */
export function deriveCall(record: CallRecord, request: RequestFacts, context: DeriveContext): StoredCall {
  const { head, response } = record;
  const protocol = WIRE_PROTOCOLS.get(head.protocol) ?? null;
  const contentType = response === null ? null : headerValue(response.headers, "content-type");
  const encoding = response === null ? null : headerValue(response.headers, "content-encoding");
  const bytes = Buffer.concat(record.body);
  const decoded = decodeContent(bytes, encoding);
  const read = readResponse(
    new TextDecoder().decode(decoded.bytes), { status: response?.status ?? 0, contentType, atEnd: record.end?.reason === "complete" }, protocol,
  );
  const { facts } = read;
  const { end, error } = judgeEnd(record, read, protocol, context);
  const notes = [...request.notes, ...read.notes];
  if (decoded.problem !== null) notes.push(`response: ${decoded.problem}`);
  if (record.damage !== null) notes.push(record.damage);
  return {
    id: callId(context.session, record.number, head.at),
    number: record.number,
    session: context.session,
    role: request.attribution.role,
    agent: request.attribution.agent ?? null,
    nativeSession: request.attribution.nativeSession ?? null,
    protocol: head.protocol,
    method: head.method,
    target: head.target,
    provider: record.attempts.at(-1)?.provider ?? null,
    model: { asked: request.asked ?? record.attempts.at(-1)?.model ?? null, served: facts.served },
    status: response?.status ?? null,
    end,
    error,
    streamed: read.streamed,
    responseId: facts.responseId,
    toolCallIds: facts.toolCallIds,
    finish: facts.finish,
    usage: facts.usage,
    startedAt: head.at,
    timing: { firstByte: milliseconds(record.firstByte), end: record.end === null || record.end.recovered ? null : milliseconds(record.end.offset) },
    request: { bytes: request.bytes, sha256: request.sha256 },
    response: { bytes: bytes.byteLength, sha256: sha256(bytes), encoding },
    textDigest: textDigest(facts.text),
    attempts: record.attempts,
    requestHeaders: head.headers.map(([name, value]) => [name, value]),
    responseHeaders: (response?.headers ?? []).map(([name, value]) => [name, value]),
    notes,
  };
}

/**
 * HTTP's word on how the message ended is not the last: a stream is complete exactly when its protocol's own end is there,
 * also when the connection broke right behind it, and not when HTTP ended well without it.
 */
function judgeEnd(
  record: CallRecord, read: ReadResponse, protocol: WireProtocol | null, context: DeriveContext,
): { end: StoredCall["end"]; error: string | null } {
  const recorded = recordedEnd(record, context);
  const said = read.facts.error ?? recorded.error;
  const answered = record.response !== null && record.response.status < 400;
  if (!answered) return { end: recorded.end, error: said ?? statusError(record) };
  if (protocol === null || recorded.end === "open" || recorded.end === "refused") return { end: recorded.end, error: said };
  if (read.streamed && read.facts.ended) return { end: "complete", error: read.facts.error };
  if (recorded.end !== "complete") return { end: recorded.end, error: said };
  if (read.streamed) return { end: "cut", error: said ?? `the stream ended without ${protocol.endMark}` };
  if (!read.json) return { end: "cut", error: said ?? "the response's body is not whole JSON" };
  return { end: "complete", error: said };
}

function recordedEnd(record: CallRecord, context: DeriveContext): { end: CallEnd | "open"; error: string | null } {
  if (record.end !== null) return { end: record.end.reason, error: record.end.error ?? null };
  if (record.damage !== null) return { end: "cut", error: record.damage };
  if (context.writer === "gone") return { end: "cut", error: "the process ended before the call did" };
  return { end: "open", error: null };
}

function statusError(record: CallRecord): string | null {
  return record.response !== null && record.response.status >= 400 ? `HTTP ${record.response.status}` : null;
}

function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : microseconds / 1000;
}
