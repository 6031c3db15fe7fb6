import type { CreateSession, Health, Prompt, PromptAnswer, SessionEntry, TurnInfo } from "@beeuni/protocol";
import type { Message, Part, SessionState } from "@beeuni/transcript";
import type { RequestOptions, Transport } from "./transport.ts";

export interface MessageWithParts {
  info: Message;
  parts: Part[];
}

export interface MessagePage {
  messages: MessageWithParts[];
  /** `before` of the page before this one; undefined when this is the oldest. */
  before?: string;
}

/** The whole session, folded, with its place in the log. */
export type StateSnapshot = SessionState & { seq: number; epoch: string };

export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: RequestOptions): Promise<SessionEntry[]> {
    return this.#transport.json("/beeuni/runtime/sessions", options);
  }

  create(request: CreateSession = {}, options?: RequestOptions): Promise<SessionEntry> {
    return this.#transport.json("/beeuni/runtime/sessions", { method: "POST", body: request, ...options });
  }

  get(session: string, options?: RequestOptions): Promise<SessionEntry> {
    return this.#transport.json(path(session), options);
  }

  async remove(session: string, options?: RequestOptions): Promise<void> {
    await this.#transport.send(path(session), { method: "DELETE", ...options });
  }

  /**
   * Resolves when the prompt is durable; the turn follows on the event stream. With a `message_id`, repeating the request
   * (after a lost answer, a restart) is still one prompt.
   */
  prompt(session: string, prompt: Omit<Prompt, "wait"> | string, options?: RequestOptions): Promise<PromptAnswer> {
    return this.#transport.json(`${path(session)}/prompt`, { method: "POST", body: bodyOf(prompt), ...options });
  }

  /** The same, and waits until the turn has ended. */
  promptAndWait(session: string, prompt: Omit<Prompt, "wait"> | string, options?: RequestOptions): Promise<PromptAnswer & { result: TurnInfo }> {
    return this.#transport.json(`${path(session)}/prompt`, { method: "POST", body: { ...bodyOf(prompt), wait: true }, ...options });
  }

  /** False when nothing was running. */
  async abort(session: string, options?: RequestOptions): Promise<boolean> {
    const { aborted } = await this.#transport.json<{ aborted: boolean }>(`${path(session)}/abort`, { method: "POST", ...options });
    return aborted;
  }

  /** Selects the harness anew and opens the session with it. */
  restart(session: string, options?: RequestOptions): Promise<Health> {
    return this.#transport.json(`${path(session)}/restart`, { method: "POST", ...options });
  }

  /** The newest `limit` messages (20, at most 200), oldest first. */
  async messages(session: string, page: { limit?: number; before?: string } = {}, options?: RequestOptions): Promise<MessagePage> {
    const { value, headers } = await this.#transport.answer<MessageWithParts[]>(`/beeuni/runtime/messages/${encodeURIComponent(session)}`, { query: page, ...options });
    const before = headers.get("x-next-cursor");
    return { messages: value, ...(before === null ? {} : { before }) };
  }

  message(session: string, message: string, options?: RequestOptions): Promise<MessageWithParts> {
    return this.#transport.json(`/beeuni/runtime/messages/${encodeURIComponent(session)}/${encodeURIComponent(message)}`, options);
  }

  state(session: string, options?: RequestOptions): Promise<StateSnapshot> {
    return this.#transport.json("/beeuni/runtime/state", { query: { session }, ...options });
  }
}

function path(session: string): string {
  return `/beeuni/runtime/sessions/${encodeURIComponent(session)}`;
}

function bodyOf(prompt: Omit<Prompt, "wait"> | string): Omit<Prompt, "wait"> {
  return typeof prompt === "string" ? { parts: [{ type: "text", text: prompt }] } : prompt;
}
