import type { PermissionReplyBody, PermissionRequest, QuestionRequest } from "@beeuni/protocol";
import type { RequestOptions, Transport } from "./transport.ts";

/** Tool calls that wait for a person. */
export class Permissions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: RequestOptions): Promise<PermissionRequest[]> {
    return this.#transport.json("/beeuni/runtime/permissions", options);
  }

  async reply(id: string, reply: PermissionReplyBody, options?: RequestOptions): Promise<void> {
    await this.#transport.send(`/beeuni/runtime/permissions/${encodeURIComponent(id)}/reply`, { method: "POST", body: reply, ...options });
  }
}

/** Questions of an agent to a person. */
export class Questions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: RequestOptions): Promise<QuestionRequest[]> {
    return this.#transport.json("/beeuni/runtime/questions", options);
  }

  /** One list of chosen labels per question. */
  async reply(id: string, answers: string[][], options?: RequestOptions): Promise<void> {
    await this.#transport.send(`/beeuni/runtime/questions/${encodeURIComponent(id)}/reply`, { method: "POST", body: { answers }, ...options });
  }

  async reject(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.send(`/beeuni/runtime/questions/${encodeURIComponent(id)}/reject`, { method: "POST", ...options });
  }
}
