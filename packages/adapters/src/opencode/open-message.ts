import type { ModelRef, TurnError, Usage } from "@beeuni/protocol";
import type { HarnessEvent } from "@beeuni/harness";
import { modelError } from "./model-error.ts";
import type { NativeAssistant, NativeError, NativePart, NativeTokens } from "./native-events.ts";

type TextPart = Extract<NativePart, { type: "text" | "reasoning" }>;

interface OpenPart {
  key: string;
  kind: "text" | "reasoning";
  text: string;
  isClosed: boolean;
}

interface Ending { usage?: Usage | null; finish?: string | null; error?: TurnError }

/**
 * One assistant message of OpenCode's. It begins for us with its first block, so that a request that failed before it brought
 * anything leaves no empty message when it is tried again. OpenCode tries again within the same message; for us each try is
 * a message of its own. Events may overtake each other: a message counts as whole when it is completed and its step is finished.
 */
export class OpenMessage {
  readonly id: string;
  isStepFinished = false;
  #info: NativeAssistant;
  readonly #model: ModelRef;
  #attempt = 0;
  #state: "new" | "begun" | "ended" = "new";
  readonly #parts = new Map<string, OpenPart>();
  /** Kinds of parts that have no text yet. */
  readonly #announced = new Map<string, OpenPart["kind"]>();

  constructor(info: NativeAssistant, model: ModelRef) {
    this.id = info.id;
    this.#info = info;
    this.#model = model;
  }

  get key(): string {
    return this.#attempt === 0 ? this.id : `${this.id}~${this.#attempt + 1}`;
  }

  get isSummary(): boolean {
    return this.#info.summary === true;
  }

  get isEnded(): boolean {
    return this.#state === "ended";
  }

  /** OpenCode has no more to say about it. */
  get isCompleted(): boolean {
    return this.#info.time.completed !== undefined;
  }

  get nativeError(): NativeError | undefined {
    return this.#info.error;
  }

  update(info: NativeAssistant): void {
    this.#info = info;
  }

  text(part: TextPart): HarnessEvent[] {
    const events = this.#openPart(part.id, part.type, part.time?.end === undefined || part.text === "");
    const open = this.#parts.get(part.id);
    if (open === undefined) {
      this.#announced.set(part.id, part.type);
      return events;
    }
    if (part.time?.end === undefined || open.isClosed) return events;
    // What the stream has not brought yet comes now; pieces that come later are then repeats.
    if (part.text.startsWith(open.text) && part.text.length > open.text.length) events.push(...this.#append(open, part.text.slice(open.text.length)));
    return [...events, ...closePart(open, part.text)];
  }

  delta(id: string, delta: string): HarnessEvent[] {
    const kind = this.#announced.get(id) ?? "text";
    const events = this.#openPart(id, kind, delta === "");
    const open = this.#parts.get(id);
    return open === undefined || open.isClosed || delta === "" ? events : [...events, ...this.#append(open, delta)];
  }

  /** A block that is no text: a call. */
  begin(): HarnessEvent[] {
    if (this.#state !== "new") return [];
    this.#state = "begun";
    return [{ type: "message.start", key: this.key, model: this.#model }];
  }

  /** The answer broke off and is asked for again: what came of it stays as a message that failed. */
  abandon(error: TurnError): HarnessEvent[] {
    if (this.#state !== "begun" || this.isCompleted) return [];
    const events = [...this.#closeParts(), this.#ended({ error })];
    this.#attempt++;
    this.#state = "new";
    this.isStepFinished = false;
    return events;
  }

  endIfWhole(): HarnessEvent[] {
    return this.isCompleted && (this.isStepFinished || this.#info.error !== undefined) ? this.close() : [];
  }

  /** Ends it. Without `error` and `isStopped` OpenCode's own word is taken. */
  close({ error = null, isStopped = false }: { error?: TurnError | null; isStopped?: boolean } = {}): HarnessEvent[] {
    if (this.#state === "ended") return [];
    const wasStopped = this.#info.error?.name === "MessageAbortedError" || (isStopped && !this.isCompleted);
    // A message that is completed and has no finish either was stopped by us, for a reason that OpenCode does not know, or is no model's.
    const failure = wasStopped ? null : this.#info.error !== undefined ? modelError(this.#info.error) : this.#info.finish === undefined ? error : null;
    const isNothing = this.#state === "new" && (wasStopped || (failure === null && this.#attempt > 0));
    const events = isNothing || this.isSummary ? [] : [...this.begin(), ...this.#closeParts(), this.#ended(this.#ending(wasStopped, failure))];
    this.#state = "ended";
    return events;
  }

  #ending(wasStopped: boolean, error: TurnError | null): Ending {
    if (wasStopped) return { finish: "aborted", error: STOPPED };
    return error === null ? { finish: this.#info.finish ?? null, usage: usageOf(this.#info.tokens) } : { error };
  }

  #openPart(id: string, kind: "text" | "reasoning", isEmpty: boolean): HarnessEvent[] {
    if (isEmpty || this.#parts.has(id) || this.#state === "ended") return [];
    const events = this.begin();
    const part: OpenPart = { key: id, kind, text: "", isClosed: false };
    this.#parts.set(id, part);
    return [...events, { type: "part.start", key: id, message: this.key, kind }];
  }

  #append(part: OpenPart, delta: string): HarnessEvent[] {
    part.text += delta;
    return [{ type: "part.delta", key: part.key, delta }];
  }

  #closeParts(): HarnessEvent[] {
    return [...this.#parts.values()].flatMap((part) => closePart(part, part.text));
  }

  #ended({ usage = null, finish = null, error }: Ending): HarnessEvent {
    return { type: "message.end", key: this.key, usage, finish, responseId: null, ...(error === undefined ? {} : { error }) };
  }
}

function closePart(part: OpenPart, text: string): HarnessEvent[] {
  if (part.isClosed) return [];
  part.isClosed = true;
  part.text = text;
  return [{ type: "part.end", key: part.key, text }];
}

const STOPPED: TurnError = { code: "aborted", message: "The answer was stopped." };

/** OpenCode puts zeros where the provider reported nothing; no answer takes no tokens. */
function usageOf({ input, output, reasoning, cache }: NativeTokens): Usage | null {
  if (input + output + reasoning + cache.read + cache.write === 0) return null;
  return { input, output: output + reasoning, reasoning, cacheRead: cache.read, cacheWrite: cache.write };
}
