import type { ModelRef, TurnError } from "@beeuni/protocol";
import type { HarnessEvent, TurnEnd } from "@beeuni/harness";
import type { ToolFailure } from "@beeuni/transcript";
import type { CallIds } from "./call-ids.ts";
import { modelError, retryError } from "./model-error.ts";
import type { NativeAssistant, NativeError, NativeMessage, NativePart, NativeStatus } from "./native-events.ts";
import { OpenMessage } from "./open-message.ts";
import { type Refusal, ToolCalls } from "./tool-calls.ts";

export interface LaneOptions {
  /** Key of a sub-agent's events; undefined for the root. */
  child: string | undefined;
  /** Ids of messages that were there before: nothing of them is news. */
  known: Iterable<string>;
  callIds: CallIds;
  model: (nativeId: string) => ModelRef;
}

interface LaneTurn {
  /** OpenCode's id of the user message. */
  prompt: string;
  /** It is one that we asked for: its end is told by `endTurn`, else by an event. */
  isOurs: boolean;
}

/** One native session: its turns, messages, parts and calls. */
export class Lane {
  readonly child: string | undefined;
  /** OpenCode's name of the agent that works here; empty before the first message. */
  agent = "";
  /** What happens here is not shown: OpenCode rewrites its own session. */
  isQuiet = false;
  /** Why the newest model call was tried again; null when none was in this turn. */
  lastFailure: TurnError | null = null;
  readonly #model: LaneOptions["model"];
  readonly #calls: ToolCalls;
  readonly #messages = new Map<string, OpenMessage>();
  /** Ids of messages that are nobody's news any more. */
  readonly #known: Set<string>;
  /** Messages of this turn that called tools. */
  readonly #steps = new Set<string>();
  #isStopping = false;
  #turn: LaneTurn | null = null;
  #isIdle = true;
  #last: OpenMessage | null = null;
  #error: NativeError | null = null;

  constructor({ child, known, callIds, model }: LaneOptions) {
    this.child = child;
    this.#model = model;
    this.#known = new Set(known);
    this.#calls = new ToolCalls(callIds);
  }

  /** A prompt of ours goes out as this user message. */
  begin(prompt: string): void {
    this.#startTurn({ prompt, isOurs: true });
  }

  /** The turn was told to stop. OpenCode may begin one more step before it does; that is nobody's news. */
  stop(): void {
    this.#isStopping = this.#turn !== null;
    this.#calls.isStopping = this.#isStopping;
  }

  get isActive(): boolean {
    return this.#turn !== null;
  }

  get isSettled(): boolean {
    return this.#turn === null || (this.#isIdle && this.#open().every(({ isCompleted }) => isCompleted));
  }

  /** Model steps of the running turn that called tools so far. */
  get steps(): number {
    return this.#steps.size;
  }

  /** Our id of a call as OpenCode names it, undefined when it has not been reported yet. */
  callId(call: string): string | undefined {
    return this.#calls.idOf(call);
  }

  /** OpenCode's ids of the calls that run. */
  get runningCalls(): string[] {
    return this.#calls.running;
  }

  status(status: NativeStatus): HarnessEvent[] {
    this.#isIdle = status.type === "idle";
    if (status.type === "idle") return this.#tagged(this.#endForeignTurn());
    if (status.type !== "retry" || this.#turn === null) return [];
    this.lastFailure = retryError(status.message);
    return this.#tagged([
      ...(this.#last?.abandon(this.lastFailure) ?? []),
      { type: "retry", attempt: status.attempt, message: status.message, nextAt: status.next },
    ]);
  }

  failed(error: NativeError): void {
    this.#error = error;
  }

  message(info: NativeMessage): HarnessEvent[] {
    if (info.role === "user") return this.#tagged(this.#userMessage(info.id, info.agent));
    const message = this.#messages.get(info.id);
    if (message === undefined) return this.#known.has(info.id) ? [] : this.#tagged(this.#newMessage(info));
    message.update(info);
    return this.#tagged([...message.endIfWhole(), ...this.#endForeignTurn()]);
  }

  part(part: NativePart): HarnessEvent[] {
    const message = this.#messages.get(part.messageID);
    if (message === undefined || message.isSummary) return [];
    switch (part.type) {
      case "text":
      case "reasoning": return this.#tagged(message.text(part));
      case "tool":
        if (part.state.status !== "pending") this.#steps.add(message.id);
        return this.#tagged(this.#calls.update(part, message));
      case "step-finish":
        message.isStepFinished = true;
        return this.#tagged([...message.endIfWhole(), ...this.#endForeignTurn()]);
      default: return [];
    }
  }

  delta(messageId: string, partId: string, delta: string): HarnessEvent[] {
    const message = this.#messages.get(messageId);
    return message === undefined || message.isSummary ? [] : this.#tagged(message.delta(partId, delta));
  }

  allowed(call: string): HarnessEvent[] {
    return this.#tagged(this.#calls.allowed(call));
  }

  refused(call: string, refusal: Refusal): void {
    this.#calls.refused(call, refusal);
  }

  /** Ends all that is open. `error`: why there will be no more of it; null when it was stopped. */
  close(kind: ToolFailure, error: TurnError | null): HarnessEvent[] {
    const events = [...this.#calls.close(kind), ...this.#open().flatMap((message) => message.close({ error, isStopped: error === null }))];
    this.#isIdle = true;
    return this.#tagged([...events, ...this.#endForeignTurn(kind === "aborted")]);
  }

  /** How the turn that `begin` began has ended, after `close`. `failure`: what went wrong that OpenCode does not tell of. */
  endTurn(isAborted: boolean, failure: TurnError | null): TurnEnd {
    const end = this.#end(isAborted, failure);
    this.#turn = null;
    return end;
  }

  #open(): OpenMessage[] {
    return [...this.#messages.values()].filter(({ isEnded }) => !isEnded);
  }

  #startTurn(turn: LaneTurn): void {
    // Late news of earlier turns is none.
    for (const id of this.#messages.keys()) this.#known.add(id);
    this.#known.add(turn.prompt);
    this.#messages.clear();
    this.#steps.clear();
    this.#turn = turn;
    this.#isStopping = this.#calls.isStopping = false;
    this.#isIdle = false;
    this.#last = null;
    this.#error = null;
    this.lastFailure = null;
  }

  /** A user message that is not ours: from OpenCode's own terminal client, a shell turn, or a sub-agent's parent. */
  #userMessage(id: string, agent: string): HarnessEvent[] {
    if (this.#turn?.prompt === id) this.agent = agent;
    if (this.#known.has(id)) return [];
    this.#known.add(id);
    if (this.#turn !== null || this.isQuiet) return [];
    return this.#beginForeignTurn(id, agent);
  }

  #beginForeignTurn(prompt: string, agent: string): HarnessEvent[] {
    this.#startTurn({ prompt, isOurs: false });
    this.agent = agent;
    return [{ type: "turn.start", key: prompt }];
  }

  #endForeignTurn(isAborted = false): HarnessEvent[] {
    const turn = this.#turn;
    if (turn === null || turn.isOurs || !this.isSettled) return [];
    const events = this.#open().flatMap((message) => message.close());
    const end = this.#end(isAborted, null);
    this.#turn = null;
    return [...events, { type: "turn.end", key: turn.prompt, end }];
  }

  #newMessage(info: NativeAssistant): HarnessEvent[] {
    if (this.#isStopping || (this.#turn === null && (this.isQuiet || this.#known.has(info.parentID)))) {
      this.#known.add(info.id);
      return [];
    }
    const events = this.#turn === null ? this.#beginForeignTurn(info.parentID, info.agent) : [];
    const message = new OpenMessage(info, this.#model(info.modelID));
    if (!message.isSummary) {
      // A new step: the one before is whole, whatever the stream has left out.
      events.push(...(this.#last?.close() ?? []));
      this.#last = message;
      this.agent = info.agent;
    }
    this.#messages.set(info.id, message);
    return events;
  }

  #end(isAborted: boolean, failure: TurnError | null): TurnEnd {
    if (isAborted) return { outcome: "aborted" };
    if (failure !== null) return { outcome: "failed", error: failure };
    const error = this.#last?.nativeError ?? this.#error;
    if (error?.name === "MessageAbortedError") return { outcome: "aborted" };
    if (error !== null) return { outcome: "failed", error: modelError(error) };
    if (this.#last === null && this.#turn?.isOurs === true) return { outcome: "failed", error: { code: "harness", message: "OpenCode ended the turn without an answer of the model" } };
    return { outcome: "completed" };
  }

  #tagged(events: HarnessEvent[]): HarnessEvent[] {
    const { child } = this;
    return child === undefined ? events : events.map((event) => ({ child, ...event }));
  }
}
