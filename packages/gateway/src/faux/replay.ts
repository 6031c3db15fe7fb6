import { readFile } from "node:fs/promises";
import { STATUS_CODES } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Upstream, UpstreamSink } from "../upstream.ts";

export interface ReplayOptions {
  /**
   * Response bodies, one per model call of a turn: the request's number of tool results says which comes next,
   * the last one is repeated. A name that ends in `.sse` is a stream, `.json` a whole message.
   */
  files: readonly string[];
  /** Bytes per write. Default: one event per write. A small odd number splits events, lines and characters. */
  split?: number;
  /** Content coding of the body, when the client accepts it. */
  gzip?: boolean;
}

const TOOL_RESULT = /"type"\s*:\s*"(?:tool_result|function_call_output)"/g;

/** An upstream that answers with recorded Messages or Responses bodies, byte for byte. */
export function replayUpstream(options: ReplayOptions): Upstream {
  return (request, sink) => {
    let gone = false;
    let wake = () => {};
    sink.attempt();
    const results = request.body.toString("utf8").match(TOOL_RESULT)?.length ?? 0;
    const file = options.files[Math.min(results, options.files.length - 1)]!;
    const accepts = request.headers.some(([name, value]) => name.toLowerCase() === "accept-encoding" && value.includes("gzip"));
    const write = async (chunk: Uint8Array) => {
      if (!gone && !sink.data(chunk)) await new Promise<void>((resolve) => (wake = resolve));
      await nextTurn();
      return !gone;
    };
    void replay(file, options, accepts && options.gzip === true, sink, write).catch((error: unknown) => sink.fail((error as Error).message));
    return {
      resume: () => wake(),
      abort: () => {
        gone = true;
        wake();
      },
    };
  };
}

async function replay(file: string, options: ReplayOptions, gzip: boolean, sink: UpstreamSink, write: (chunk: Uint8Array) => Promise<boolean>): Promise<void> {
  const recorded = await readFile(file);
  const body = gzip ? gzipSync(recorded) : recorded;
  const streamed = file.endsWith(".sse");
  sink.head(200, STATUS_CODES[200]!, [
    ["content-type", streamed ? "text/event-stream; charset=utf-8" : "application/json"],
    ...(gzip ? [["content-encoding", "gzip"] as const] : []),
    ...(streamed ? [] : [["content-length", String(body.length)] as const]),
  ]);
  for (const chunk of options.split === undefined && streamed && !gzip ? byEvent(body) : byLength(body, options.split ?? body.length)) {
    if (!(await write(chunk))) return;
  }
  sink.end();
}

function* byEvent(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf("\n\n", at);
    const next = end < 0 ? body.length : end + 2;
    yield body.subarray(at, next);
    at = next;
  }
}

function* byLength(body: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length);
}
