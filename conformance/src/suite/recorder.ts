import type { Json, QuestionItem } from "@beeuni/protocol";
import type { Authorization, HarnessEvent, HostPort, ToolCallRef } from "@beeuni/harness";

/** What the host does when the harness asks for something; each may be replaced by a test. */
export interface HostBehaviour {
  authorize: (call: ToolCallRef) => Authorization | Promise<Authorization>;
  ask: (call: ToolCallRef, questions: QuestionItem[]) => string[][] | Promise<string[][]>;
  runTool: (call: ToolCallRef, signal: AbortSignal) => Promise<{ output: string; metadata: { [key: string]: Json } }>;
}

type EventOf<T extends HarnessEvent["type"]> = Extract<HarnessEvent, { type: T }>;

/** A host that writes down everything that a harness reports and asks for. Allows every call unless told otherwise. */
export class RecordingHost implements HostPort {
  readonly events: HarnessEvent[] = [];
  readonly authorized: ToolCallRef[] = [];
  readonly asked: { call: ToolCallRef; questions: QuestionItem[] }[] = [];
  readonly ran: ToolCallRef[] = [];
  readonly logged: string[] = [];
  readonly #behaviour: HostBehaviour;
  readonly #waiting = new Set<() => void>();

  constructor(behaviour: Partial<HostBehaviour> = {}) {
    this.#behaviour = {
      authorize: () => ({ allow: true }),
      ask: () => { throw new Error("this host answers no question"); },
      runTool: async (call) => { throw new Error(`this host has no tool "${call.tool}"`); },
      ...behaviour,
    };
  }

  emit(event: HarnessEvent): void {
    this.events.push(event);
    this.#changed();
  }

  async authorize(call: ToolCallRef): Promise<Authorization> {
    this.authorized.push(call);
    // Asked first, told after: whoever waits for the request finds it already with the behaviour.
    const answer = this.#behaviour.authorize(call);
    this.#changed();
    return await answer;
  }

  async ask(call: ToolCallRef, questions: QuestionItem[]): Promise<string[][]> {
    this.asked.push({ call, questions });
    const answer = this.#behaviour.ask(call, questions);
    this.#changed();
    return await answer;
  }

  async runTool(call: ToolCallRef, signal: AbortSignal): Promise<{ output: string; metadata: { [key: string]: Json } }> {
    this.ran.push(call);
    const answer = this.#behaviour.runTool(call, signal);
    this.#changed();
    return await answer;
  }

  log(level: "info" | "warning" | "error", message: string): void {
    this.logged.push(`${level}: ${message}`);
  }

  /** Events of one type, in order. */
  of<T extends HarnessEvent["type"]>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** Final texts of the text parts, in order; of the root session. */
  texts(): string[] {
    const text = new Set(this.of("part.start").filter((part) => part.kind === "text" && part.child === undefined).map(({ key }) => key));
    return this.of("part.end").filter(({ key }) => text.has(key)).map((part) => part.text);
  }

  /** Outputs and errors of the tool calls, in order of their ends. */
  results(): string[] {
    return this.events.flatMap((event) => (event.type === "tool.end" ? [event.output] : event.type === "tool.error" ? [`${event.kind}: ${event.error}`] : []));
  }

  /** Resolves when `holds` does; checked whenever the harness does something. Rejects after `ms`, naming `what`. */
  async until(what: string, holds: (host: RecordingHost) => boolean, ms = 20_000): Promise<void> {
    if (holds(this)) return;
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!holds(this)) return;
        this.#waiting.delete(check);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`after ${ms} ms still waiting for ${what}; the last events: ${JSON.stringify(this.events.slice(-5))}`));
      }, ms);
      this.#waiting.add(check);
    });
  }

  #changed(): void {
    for (const check of [...this.#waiting]) check();
  }
}
