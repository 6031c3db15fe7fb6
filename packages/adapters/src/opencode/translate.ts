import type { ModelRef, TurnError } from "@beeuni/protocol";
import type { HarnessEvent, TurnEnd } from "@beeuni/harness";
import type { ToolFailure } from "@beeuni/transcript";
import { CallIds } from "./call-ids.ts";
import { Lane } from "./lane.ts";
import type { NativeEvent, StoredMessage } from "./native-events.ts";
import type { Refusal } from "./tool-calls.ts";

export interface TranslatorOptions {
  /** OpenCode's id of the session. */
  root: string;
  /** Ids of messages that were there before. */
  known?: Iterable<string>;
  /** Tool-call ids that the session has used before. */
  usedCallIds?: Iterable<string>;
  /** Our model behind OpenCode's id. */
  model: (nativeId: string) => ModelRef;
}

/**
 * Turns what OpenCode reports into our events: one lane for the session and one for each sub-agent's session. Pure: no clock,
 * no I/O. The same event seen twice is translated once, and a whole message read later fills in what the stream has missed.
 */
export class Translator {
  readonly #lanes = new Map<string, Lane>();
  readonly #options: TranslatorOptions;
  readonly #callIds: CallIds;

  constructor(options: TranslatorOptions) {
    this.#options = options;
    this.#callIds = new CallIds(options.usedCallIds);
    this.#lanes.set(options.root, this.#lane(undefined, options.known ?? []));
  }

  get root(): Lane {
    return this.#lanes.get(this.#options.root)!;
  }

  /** The lane of a native session; undefined for one that is none of this tree. */
  lane(session: string): Lane | undefined {
    return this.#lanes.get(session);
  }

  translate(event: NativeEvent): HarnessEvent[] {
    switch (event.type) {
      case "session.created": {
        const { id, parentID } = event.properties.info;
        if (parentID !== undefined && this.#lanes.has(parentID) && !this.#lanes.has(id)) this.#lanes.set(id, this.#lane(id, []));
        return [];
      }
      case "session.status": return this.#lanes.get(event.properties.sessionID)?.status(event.properties.status) ?? [];
      case "session.error": {
        const { sessionID, error } = event.properties;
        if (sessionID !== undefined && error !== undefined) this.#lanes.get(sessionID)?.failed(error);
        return [];
      }
      case "session.compacted":
        if (!this.#lanes.has(event.properties.sessionID)) return [];
        return [{ type: "notice", level: "info", code: "compacted", message: "The conversation was summarised: the model goes on with the summary." }];
      case "message.updated": return this.#lanes.get(event.properties.sessionID)?.message(event.properties.info) ?? [];
      case "message.part.updated": return this.#lanes.get(event.properties.part.sessionID)?.part(event.properties.part) ?? [];
      case "message.part.delta": {
        const { sessionID, messageID, partID, delta } = event.properties;
        return this.#lanes.get(sessionID)?.delta(messageID, partID, delta) ?? [];
      }
      default: return [];
    }
  }

  /** Whole messages of a session as they are stored: what the stream has not brought of them. */
  reconcile(session: string, messages: readonly StoredMessage[]): HarnessEvent[] {
    const lane = this.#lanes.get(session);
    if (lane === undefined) return [];
    return messages.flatMap(({ info, parts }) => [...lane.message(info), ...parts.flatMap((part) => lane.part(part)), ...lane.message(info)]);
  }

  /** The host has allowed the call: it runs now. */
  allowed(session: string, call: string): HarnessEvent[] {
    return this.#lanes.get(session)?.allowed(call) ?? [];
  }

  /** The host has refused the call; OpenCode will report it as failed. */
  refused(session: string, call: string, refusal: Refusal): void {
    this.#lanes.get(session)?.refused(call, refusal);
  }

  /** What runs was told to stop. */
  stop(): void {
    for (const lane of this.#lanes.values()) lane.stop();
  }

  /** OpenCode's ids of all calls that run. */
  get runningCalls(): string[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.runningCalls);
  }

  /** Whether nothing is under way any more, in any lane. */
  get isSettled(): boolean {
    return [...this.#lanes.values()].every((lane) => lane.isSettled);
  }

  /** Ends everything that is open, sub-agents first. `kind` for the calls, `error` for the messages; null: they were stopped. */
  close(kind: ToolFailure, error: TurnError | null): HarnessEvent[] {
    return [...this.#lanes.values()].reverse().flatMap((lane) => lane.close(kind, error));
  }

  /**
   * How the turn that `root.begin` began has ended. What the stream has left open of it is closed. `failure`: what went wrong
   * that OpenCode does not tell of.
   */
  endTurn(isAborted: boolean, failure: TurnError | null): { events: HarnessEvent[]; end: TurnEnd } {
    const events = this.close(isAborted ? "aborted" : "interrupted", isAborted ? null : failure ?? UNTOLD);
    return { events, end: this.root.endTurn(isAborted, failure) };
  }

  #lane(child: string | undefined, known: Iterable<string>): Lane {
    return new Lane({ child, known, callIds: this.#callIds, model: this.#options.model });
  }
}

const UNTOLD: TurnError = { code: "harness", message: "OpenCode did not tell how it ended." };
