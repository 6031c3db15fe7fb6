import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Head of a streamed answer; further headers go in front of the empty line. */
export function streamHead(...headers: string[]): Buffer {
  return Buffer.from(["HTTP/1.1 200 OK", "content-type: text/event-stream", "transfer-encoding: chunked", ...headers, "", ""].join("\r\n"));
}

export function wholeAnswer(status: string, body: string, ...headers: string[]): Buffer {
  return Buffer.from([`HTTP/1.1 ${status}`, "content-type: application/json", `content-length: ${Buffer.byteLength(body)}`, ...headers, "", body].join("\r\n"));
}

/** One `Transfer-Encoding: chunked` body of chunks of `size` bytes. */
export function chunked(body: Buffer, size: number): Buffer {
  return Buffer.concat([chunks(body, size), Buffer.from("0\r\n\r\n")]);
}

/** Chunks of a body that goes on. */
export function chunks(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat(parts);
}

/** Writes in pieces of `size` bytes, a turn of the loop apart: pieces end inside characters, events and chunk headers. */
export async function dribble(socket: Socket, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length && socket.writable; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await nextTurn();
  }
}

/** A Chat Completions stream, whole: a text in pieces of a character each. */
export function textEvents(id: string, text: string): string {
  return textBegun(id, text) + ending(id, "stop");
}

/** Its beginning. */
export function textBegun(id: string, text: string): string {
  return Array.from(text, (content) => event(id, { content })).join("");
}

/** A stream with one tool call. */
export function toolEvents(id: string, call: string, name: string, input: object): string {
  return event(id, { tool_calls: [{ index: 0, id: call, type: "function", function: { name, arguments: JSON.stringify(input) } }] }) + ending(id, "tool_calls");
}

function ending(id: string, finish: string): string {
  return `${event(id, {}, finish)}data: [DONE]\n\n`;
}

function event(id: string, delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model: "demo", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}
