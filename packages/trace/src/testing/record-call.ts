import type { CallEnd, CallRecorder, RequestHead, Route, TraceWriter } from "../types.ts";

export interface CallScript {
  protocol?: string;
  request?: string | Uint8Array;
  requestHeaders?: [string, string][];
  routes?: Route[];
  status?: number;
  headers?: [string, string][];
  /** Entity body, or its chunks. */
  response?: string | Uint8Array | readonly Uint8Array[];
  /** undefined: the call never ends. */
  end?: CallEnd;
  error?: string;
}

export const ROUTE: Route = { provider: "up", upstream: "http://127.0.0.1:1/v1/chat/completions", model: "m" };
export const EVENT_STREAM: [string, string] = ["content-type", "text/event-stream; charset=utf-8"];
export const JSON_BODY: [string, string] = ["content-type", "application/json"];

const TARGETS: { [protocol: string]: string } = {
  "chat-completions": "/s/***/v1/chat/completions", responses: "/s/***/v1/responses", messages: "/s/***/v1/messages",
};

export function requestHead(script: CallScript = {}): RequestHead {
  const protocol = script.protocol ?? "chat-completions";
  return { method: "POST", target: TARGETS[protocol] ?? "/s/***/v1/models", protocol, headers: script.requestHeaders ?? [JSON_BODY] };
}

/** Records a call as the gateway would: request, route, response, end. */
export async function recordCall(trace: TraceWriter, script: CallScript): Promise<CallRecorder> {
  const recorder = trace.begin(requestHead(script));
  recorder.requestBody(bytes(script.request ?? '{"model":"m"}'));
  recorder.requestEnd();
  for (const route of script.routes ?? [ROUTE]) recorder.route(route);
  if (script.status !== undefined) recorder.responseHead(script.status, script.headers ?? [EVENT_STREAM]);
  for (const chunk of chunks(script.response)) recorder.responseBody(chunk);
  if (script.end !== undefined) await recorder.end(script.end, script.error);
  return recorder;
}

export function bytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

function chunks(response: CallScript["response"]): readonly Uint8Array[] {
  if (response === undefined) return [];
  return typeof response === "string" || response instanceof Uint8Array ? [bytes(response)] : response;
}

/** The bytes in pieces that end at the given places. */
export function splitAt(content: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (content.byteLength + 1)))].sort((a, b) => a - b);
  const bounds = [0, ...ends, content.byteLength];
  return bounds.slice(1).map((end, index) => content.subarray(bounds[index], end));
}
