/**
 * Reads HTTP/1.1 messages out of the raw bytes of one direction of a connection. Written for the tests alone and on
 * purpose independent of every HTTP library: it is the judge of what they did.
 */
export interface RawMessage {
  /** `POST /v1/… HTTP/1.1` or `HTTP/1.1 200 OK`. */
  start: string;
  /** Names in lower case, in order. */
  headers: [string, string][];
  /** Entity body: transfer framing taken off, content coding left on. */
  body: Buffer;
  /** Whether the message ended as its framing says. */
  whole: boolean;
}

export function readMessages(bytes: Buffer): RawMessage[] {
  const messages: RawMessage[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    if (headEnd < 0) break;
    const [start = "", ...lines] = bytes.toString("latin1", at, headEnd).split("\r\n");
    const headers = lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
    at = headEnd + 4;
    if (/^HTTP\/1\.1 1\d\d/.test(start)) continue;
    const { body, whole, end } = readBody(bytes, at, headers, start);
    messages.push({ start, headers, body, whole });
    at = end;
  }
  return messages;
}

export function header(message: RawMessage, name: string): string | undefined {
  return message.headers.find(([key]) => key === name)?.[1];
}

function readBody(bytes: Buffer, from: number, headers: [string, string][], start: string): { body: Buffer; whole: boolean; end: number } {
  const value = (name: string) => headers.find(([key]) => key === name)?.[1];
  if (value("transfer-encoding") === "chunked") return readChunks(bytes, from);
  const length = value("content-length");
  if (length !== undefined) {
    const end = from + Number(length);
    return { body: bytes.subarray(from, end), whole: bytes.length >= end, end: Math.min(end, bytes.length) };
  }
  // A request without a length has no body; a response without one goes to the end of the connection.
  return start.startsWith("HTTP/") ? { body: bytes.subarray(from), whole: true, end: bytes.length } : { body: Buffer.alloc(0), whole: true, end: from };
}

function readChunks(bytes: Buffer, from: number): { body: Buffer; whole: boolean; end: number } {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return { body: Buffer.concat(parts), whole: false, end: bytes.length };
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (size === 0) return { body: Buffer.concat(parts), whole: bytes.length >= line + 4, end: line + 4 };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (at > bytes.length) return { body: Buffer.concat(parts), whole: false, end: bytes.length };
  }
}
