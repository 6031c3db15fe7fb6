import { createFauxServer, type FauxServer } from "@beeuni/gateway/faux";

/** A Chat Completions request as the model's server got it. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content: string | { type: string; text?: string }[] | null; tool_calls?: { id: string; function: { name: string; arguments: string } }[]; tool_call_id?: string }[];
  tools?: { function: { name: string; description: string; parameters: { [key: string]: unknown } } }[];
  [field: string]: unknown;
}

export interface SeenRequest {
  path: string;
  headers: ReadonlyMap<string, string>;
  bytes: Buffer;
  body: ModelRequest;
}

/** The scripted model behind a listener of its own, in this process: sees every request that the gateway sends on. */
export class ModelServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  /** When a client was seen to leave (`performance.now()`), and how far its answer was. */
  readonly departures: { at: number; moment: "before-head" | "in-body" }[] = [];
  #server!: FauxServer;
  #wake: (() => void)[] = [];

  static async start(): Promise<ModelServer> {
    const self = new ModelServer();
    self.#server = await createFauxServer({
      onRequest: ({ path, headers, body }) => {
        self.requests.push({ path, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])), bytes: body, body: JSON.parse(body.toString()) as ModelRequest });
        self.#changed();
      },
      onDisconnect: ({ moment }) => {
        self.departures.push({ at: performance.now(), moment });
        self.#changed();
      },
    });
    return self;
  }

  get url(): string {
    return this.#server.url;
  }

  /** As an entry of `models.providers`. */
  get provider(): object {
    return { baseUrl: this.url, models: [MODEL] };
  }

  get last(): ModelRequest {
    return this.requests.at(-1)!.body;
  }

  /** Resolves when the server has seen what is wanted. */
  async until(is: (server: this) => boolean): Promise<void> {
    while (!is(this)) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** The scripted model as a reasoning one with variants, as a person configures it. */
export const MODEL = { id: "demo", contextWindow: 200_000, maxTokens: 16_000, reasoning: true, input: ["text"], variants: { high: { reasoning_effort: "high" }, terse: { verbosity: "low" } } };

export function textOf({ content }: ModelRequest["messages"][number]): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
}

/** The one system message. */
export function systemOf(request: ModelRequest): string {
  const systems = request.messages.filter(({ role }) => role === "system" || role === "developer");
  if (systems.length !== 1) throw new Error(`the request has ${systems.length} system messages`);
  return textOf(systems[0]!);
}

export function toolNames(request: ModelRequest): string[] {
  return (request.tools ?? []).map((tool) => tool.function.name);
}

/** What the tools returned since the last prompt. */
export function toolResults({ messages }: ModelRequest): string[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1).filter(({ role }) => role === "tool").map(textOf);
}
