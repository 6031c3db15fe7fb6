import { setImmediate as nextTick, setTimeout as wait } from "node:timers/promises";
import type { TurnError, Usage } from "@beeuni/protocol";
import type { AgentSpec, HarnessEvent, HostPort, SessionSpec, TurnEnd, TurnInput } from "@beeuni/harness";
import { chat, chatMessages } from "./model.ts";
import type { ChatMessage } from "./model.ts";
import type { NativeState, Remembered } from "./native-state.ts";
import { runCall, visibleTools } from "./tools.ts";
import type { Step, StepBody } from "./script.ts";

/** What the steps of a turn share. */
export interface TurnContext {
  host: HostPort;
  spec: SessionSpec;
  agent: AgentSpec;
  input: TurnInput;
  /** Key of the turn; message keys, part keys and call ids begin with it. */
  key: string;
  state: NativeState;
  /** Whether `say` asks a model. */
  model: boolean;
  signal: AbortSignal;
}

/** The harness died in the middle of a turn. */
export class Crashed extends Error {}

type CallStep = Extract<StepBody, { kind: "call" }>;
/** `asked`: a model request was made for it. */
interface OpenMessage { key: string; parts: number; calls: CallStep[]; asked: boolean; remembered: Remembered }
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** One line of messages: the root session's turn, or a sub-agent's. Plays steps and emits their events. */
export class Lane {
  readonly #turn: TurnContext;
  readonly #child: string | null;
  #message: OpenMessage | null = null;
  #part: { key: string; text: string } | null = null;
  #messages = 0;
  #calls = 0;
  #toolSteps = 0;
  #usage: Usage | null = usageOf(10, 5);
  /** The answer of the model to the open message. */
  #answer: { responseId: string | null; finish: string | null } = { responseId: null, finish: null };
  /** What the conversation gained, for the native state: one entry a message. */
  readonly said: Remembered[] = [];

  constructor(turn: TurnContext, child: string | null) {
    this.#turn = turn;
    this.#child = child;
  }

  /** Plays one step; null while the turn goes on. Throws the signal's reason on a stop, Crashed on a crash. */
  async play(step: Step): Promise<TurnEnd | null> {
    if (step.kind !== "call" || !step.joins) {
      const end = await this.#runCalls();
      if (end !== null) return end;
    }
    switch (step.kind) {
      case "say": return await this.#say(step.text);
      case "more": await this.#stream("text", ` ${step.text}`, true); return null;
      case "think": await this.#stream("reasoning", step.text); return null;
      case "recall": await this.#stream("text", recall(this.#turn.state)); return null;
      case "call": this.#openMessage().calls.push(step); this.#closePart(); return null;
      case "usage": this.#usage = step.tokens === null ? null : usageOf(step.tokens.input, step.tokens.output); return null;
      case "sleep": await wait(step.ms, undefined, { signal: this.#turn.signal }); return null;
      case "hang": await forever(this.#turn.signal); return null;
      case "retry": this.#emit({ type: "retry", attempt: step.attempt, message: step.message, nextAt: Date.now() }); return null;
      case "notice": this.#emit({ type: "notice", level: step.level, code: step.code, message: step.message }); return null;
      case "fail": return this.#fail({ code: step.code, message: step.message });
      case "cut": this.#openMessage(); return this.#fail({ code: "upstream", message: "the model's stream ended before it was finished" });
      case "crash": throw new Crashed("the scripted harness crashed");
      case "self-turn": case "done": return null;
    }
  }

  /** Runs what is pending and ends what is open. */
  async finish(): Promise<TurnEnd> {
    const end = await this.#runCalls();
    if (end !== null) return end;
    this.#closeMessage("stop");
    return { outcome: "completed" };
  }

  /** Ends what is open after a stop. Partial text stays. */
  stopped(): TurnEnd {
    this.#usage = null;
    this.#closeMessage("aborted", { code: "aborted", message: "The answer was stopped." });
    return { outcome: "aborted" };
  }

  async #say(text: string): Promise<TurnEnd | null> {
    if (!this.#turn.model) {
      await this.#stream("text", text);
      return null;
    }
    // One request is one message.
    if (this.#message?.asked === true) this.#closeMessage("stop");
    this.#openMessage().asked = true;
    const { agent, spec, input, signal } = this.#turn;
    const answer = await chat(
      { endpoint: spec.endpoint, model: input.model, agent, messages: this.#conversation(text), tools: visibleTools(spec, agent), signal },
      (delta) => this.#delta("text", delta),
    );
    this.#usage = answer.usage;
    this.#answer = { responseId: answer.responseId, finish: answer.finish };
    return answer.error === null ? null : this.#fail(answer.error);
  }

  #conversation(text: string): ChatMessage[] {
    const { agent, spec, state } = this.#turn;
    const system = [agent.prompt, spec.agents.rulesFile?.text ?? ""].filter((piece) => piece !== "").join("\n\n");
    const before = [...state.messages, ...this.said.filter((message) => message !== this.#message?.remembered)];
    return [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...before.flatMap(chatMessages),
      // Directives of the built-in model pass as they are; a plain text becomes one.
      { role: "user", content: text.includes("[[") ? text : `[[text: ${text}]]` },
    ];
  }

  async #stream(kind: "text" | "reasoning", text: string, more = false): Promise<void> {
    if (!more) this.#closePart();
    for (const piece of text.match(/\s*\S+\s*?|\s+/g) ?? [""]) {
      this.#delta(kind, piece);
      await nextTick(undefined, { signal: this.#turn.signal });
    }
    if (kind === "reasoning") this.#closePart();
  }

  #delta(kind: "text" | "reasoning", delta: string): void {
    if (this.#part === null) {
      const message = this.#openMessage();
      this.#part = { key: `${message.key}.p${++message.parts}`, text: "" };
      this.#emit({ type: "part.start", key: this.#part.key, message: message.key, kind });
    }
    this.#part.text += delta;
    this.#emit({ type: "part.delta", key: this.#part.key, delta });
  }

  /** The message's calls, side by side, after the message's end: one model step. */
  async #runCalls(): Promise<TurnEnd | null> {
    const message = this.#message;
    if (message === null || message.calls.length === 0) return null;
    const { agent, host, spec, signal } = this.#turn;
    if (agent.steps !== null && this.#toolSteps >= agent.steps) {
      return this.#fail({ code: "steps", message: `agent "${agent.name}" may take ${agent.steps} tool-calling steps in a turn` });
    }
    this.#toolSteps++;
    const calls = message.calls.map((step) => {
      const callId = `${this.#scope()}.c${++this.#calls}`;
      this.#emit({ type: "tool.call", callId, message: message.key, tool: step.tool, input: step.input });
      return { step, callId };
    });
    this.#closeMessage("tool-calls");
    await Promise.all(calls.map(async ({ step, callId }) => {
      const call = { ...this.#tag(), agent: agent.name, tool: step.tool, callId, input: step.input };
      const result = await runCall({ call, given: step.given, via: step.via, host, spec, signal, emit: (event) => this.#emit(event) });
      message.remembered.toolCalls.push({ callId, tool: step.tool, input: step.input, ...result });
    }));
    signal.throwIfAborted();
    return null;
  }

  #fail(error: TurnError): TurnEnd {
    this.#usage = null;
    this.#closeMessage(null, error);
    return { outcome: "failed", error };
  }

  #openMessage(): OpenMessage {
    if (this.#message === null) {
      const key = `${this.#scope()}.m${++this.#messages}`;
      this.#message = { key, parts: 0, calls: [], asked: false, remembered: { key, role: "assistant", text: "", toolCalls: [] } };
      this.said.push(this.#message.remembered);
      this.#emit({ type: "message.start", key: this.#message.key, model: this.#turn.input.model });
    }
    return this.#message;
  }

  #closePart(): void {
    if (this.#part === null) return;
    this.#emit({ type: "part.end", key: this.#part.key, text: this.#part.text });
    if (this.#message !== null) this.#message.remembered.text += this.#part.text;
    this.#part = null;
  }

  #closeMessage(finish: string | null, error?: TurnError): void {
    this.#closePart();
    if (this.#message === null) return;
    const { responseId } = this.#answer;
    this.#emit({ type: "message.end", key: this.#message.key, usage: this.#usage, finish, responseId, ...(error === undefined ? {} : { error }) });
    this.#message = null;
    this.#answer = { responseId: null, finish: null };
  }

  #scope(): string {
    return this.#child === null ? this.#turn.key : `${this.#turn.key}.${this.#child}`;
  }

  #tag(): { child?: string } {
    return this.#child === null ? {} : { child: this.#child };
  }

  #emit(event: DistributiveOmit<HarnessEvent, "child">): void {
    this.#turn.host.emit({ ...this.#tag(), ...event } as HarnessEvent);
  }
}

function usageOf(input: number, output: number): Usage {
  return { input, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}

function recall(state: NativeState): string {
  const texts = state.messages.flatMap(({ role, text, toolCalls }) => [
    ...(text === "" ? [] : [`${role}: ${text}`]),
    ...toolCalls.map(({ tool, output }) => `${tool}: ${output.trim()}`),
  ]);
  return texts.length === 0 ? "nothing" : texts.join(" / ");
}

async function forever(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return await new Promise<never>((_, reject) => {
    // An interval keeps the process alive as a busy harness would.
    const alive = setInterval(() => {}, 60_000);
    signal.addEventListener("abort", () => {
      clearInterval(alive);
      reject(signal.reason as Error);
    }, { once: true });
  });
}
