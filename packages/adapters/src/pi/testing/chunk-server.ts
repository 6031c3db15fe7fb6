import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A Chat Completions server that answers with given chunks: for answers that the demo model does not give. */
export interface ChunkServer {
  /** Without the version segment. */
  readonly url: string;
  /** Bodies of the requests so far. */
  readonly requests: { model: string; messages: { role: string; content: unknown; [field: string]: unknown }[]; [field: string]: unknown }[];
  close(): Promise<void>;
}

type Delta = { role?: string; content?: string; tool_calls?: object[] };

/** One chunk; `finish` ends the choice. */
export function chunk(delta: Delta, finish: string | null = null): object {
  return { object: "chat.completion.chunk", created: 1, model: "demo", choices: [{ index: 0, delta, finish_reason: finish }] };
}

export function callChunk(index: number, id: string | undefined, name: string, args: object): object {
  return chunk({ tool_calls: [{ index, ...(id === undefined ? {} : { id }), type: "function", function: { name, arguments: JSON.stringify(args) } }] });
}

/** `answers` in turn, the last one again and again; each the chunks of one response. No usage is reported unless a chunk has it. */
export async function startChunkServer(...answers: object[][]): Promise<ChunkServer> {
  const requests: ChunkServer["requests"] = [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (part: Buffer) => body.push(part));
    request.on("end", () => {
      requests.push(JSON.parse(Buffer.concat(body).toString()) as ChunkServer["requests"][number]);
      stream(response, answers[Math.min(requests.length, answers.length) - 1]!, `chatcmpl-${requests.length}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

function stream(response: ServerResponse, chunks: readonly object[], id: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of chunks) response.write(`data: ${JSON.stringify({ id, ...part })}\n\n`);
  response.end("data: [DONE]\n\n");
}
