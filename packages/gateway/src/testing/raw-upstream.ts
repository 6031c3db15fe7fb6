import { createServer, type AddressInfo, type Socket } from "node:net";
import { header, readMessages, type RawMessage } from "./http-bytes.ts";

export interface RawUpstream extends AsyncDisposable {
  /** Base URL with its version segment. */
  readonly url: string;
  readonly port: number;
  /** Requests in the order of their last byte, over all connections. */
  readonly requests: RawMessage[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Resolves with the time (ms, `performance.now()`) at which the next connection is seen closed by the other side. */
  nextDisconnect(): Promise<number>;
  /** Resolves when the next request is whole. */
  nextRequest(): Promise<RawMessage>;
}

/**
 * An upstream on a bare TCP socket: `answer` writes whatever bytes it likes, framing and all, and the socket tells for
 * itself when the other side has left.
 */
export async function startRawUpstream(answer: (socket: Socket, request: RawMessage, index: number) => void | Promise<void>): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const requests: RawMessage[] = [];
  let accepted = 0;
  const disconnects = waitlist<number>();
  const arrivals = waitlist<RawMessage>();
  const server = createServer({ noDelay: true }, (socket) => {
    accepted++;
    sockets.add(socket);
    let chunks: Buffer[] = [];
    let missing = 0;
    let closedHere = false;
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      const bytes = Buffer.concat(chunks);
      const [message] = readMessages(bytes);
      if (message === undefined) return;
      if (!message.whole) {
        // A long body is not put together again at each of its chunks.
        missing = Number(header(message, "content-length")) - message.body.length;
        return;
      }
      chunks = [];
      requests.push(message);
      arrivals.push(message);
      void answer(socket, message, requests.length - 1);
    });
    socket.on("error", () => {});
    const end = socket.end.bind(socket);
    const destroy = socket.destroy.bind(socket);
    socket.end = ((...args: []) => { closedHere = true; return end(...args); }) as typeof socket.end;
    socket.destroy = ((...args: []) => { closedHere = true; return destroy(...args); }) as typeof socket.destroy;
    const gone = () => {
      if (sockets.delete(socket) && !closedHere) disconnects.push(performance.now());
    };
    socket.on("end", gone);
    socket.on("close", gone);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    connections: () => accepted,
    nextDisconnect: disconnects.next,
    nextRequest: arrivals.next,
    [Symbol.asyncDispose]: () => new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    }),
  };
}

/** Values that are awaited one by one; a value that nobody waits for yet is kept. */
export function waitlist<T>(): { push(value: T): void; next(): Promise<T> } {
  const values: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    push(value) {
      const first = waiting.shift();
      if (first === undefined) values.push(value);
      else first(value);
    },
    next: () => (values.length > 0 ? Promise.resolve(values.shift()!) : new Promise((resolve) => waiting.push(resolve))),
  };
}
