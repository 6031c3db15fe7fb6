import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { readMessages, type RawMessage } from "./http-bytes.ts";

/** A client on a bare TCP socket, for what no HTTP client would send or show. */
export class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("data", (chunk) => (this.#received = Buffer.concat([this.#received, chunk])));
    this.socket.on("error", () => {});
  }

  get received(): Buffer {
    return this.#received;
  }

  send(path: string, body: string | Buffer, headers: Record<string, string> = {}): void {
    const bytes = Buffer.from(body as string);
    const lines = Object.entries({ host: "127.0.0.1", "content-type": "application/json", "content-length": String(bytes.length), ...headers });
    this.socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    this.socket.write(bytes);
  }

  /** Resolves when what was received matches. */
  async until(done: (received: Buffer) => boolean): Promise<void> {
    while (!done(this.#received)) await once(this.socket, "data");
  }

  /** The response, when it is whole or the connection has closed. */
  async response(): Promise<RawMessage> {
    for (;;) {
      const [message] = readMessages(this.#received);
      if (message?.whole === true || this.socket.closed) return message ?? { start: "", headers: [], body: this.#received, whole: false };
      await Promise.race([once(this.socket, "data"), once(this.socket, "close")]);
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
