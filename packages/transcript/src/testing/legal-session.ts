import type { ModelRef, PermissionReply, Usage } from "@beeuni/protocol";
import { type NewEvent, type PartDelta, TRANSCRIPT_FORMAT } from "../events.ts";
import type { AssistantMessage, TextPart, ToolPart, UserMessage } from "../parts.ts";

/** What a session emits, in order: events for the log, and deltas in between. */
export type Step = { event: NewEvent } | { delta: PartDelta };

const MODEL: ModelRef = { provider: "faux", id: "demo" };
const USAGE: Usage = { input: 3, output: 5, reasoning: 0, cacheRead: 1, cacheWrite: 0 };
const WORDS = ["a", " word", "é", " 🐝", "\n", "naïve ", "日本", "\u2028", '"quoted" \\'];

/** A root session as `session.created` holds it. */
export function sampleInfo(id = "ses_root") {
  return { id, title: "Sample", directory: "/work", agent: "build", model: MODEL, harness: "scripted", createdAt: 1000, updatedAt: 1000 };
}

/**
 * A session as a daemon could have written it, made from numbers: each chooses the next thing that may legally happen.
 * The same numbers make the same session, so that a property test can shrink them.
 */
export function legalSession(choices: readonly number[]): Step[] {
  const script = new Script();
  for (const choice of choices) script.step(choice);
  return script.steps;
}

export function eventsOf(steps: readonly Step[]): NewEvent[] {
  return steps.flatMap((step) => ("event" in step ? [step.event] : []));
}

type Action = (detail: number) => void;

function times(count: number, action: Action): Action[] {
  return Array<Action>(count).fill(action);
}

class Script {
  readonly steps: Step[] = [];
  readonly #sessions = ["ses_root"];
  #ids = 0;
  #calls = 0;
  #waiting: UserMessage[] = [];
  #turn: { id: string; session: string; message: AssistantMessage | null } | null = null;
  #texts: { part: TextPart; whole: string }[] = [];
  #tools: ToolPart[] = [];
  #permissions: { id: string; session: string }[] = [];
  #questions: { id: string; session: string }[] = [];

  constructor() {
    this.#emit({ type: "session.created", session: "ses_root", format: TRANSCRIPT_FORMAT, info: sampleInfo() });
    this.#opened();
  }

  step(choice: number): void {
    const possible = this.#possible();
    possible[choice % possible.length]!(Math.floor(choice / possible.length));
  }

  /** What may happen next; what sessions mostly do stands there several times. */
  #possible(): Action[] {
    const aside: Action[] = [() => this.#prompt(), () => this.#retitle(), () => this.#notice(), (detail) => this.#child(detail)];
    if (this.#turn === null) return [...aside, ...times(6, () => this.#begin()), () => this.#opened()];
    const turn: Action[] = [...aside, () => this.#retry(), (detail) => this.#end(detail), () => this.#crash()];
    if (this.#turn.message === null) return [...turn, ...times(12, () => this.#message())];
    return [
      ...turn, () => this.#message(), () => this.#finishMessage(),
      ...times(3, (detail) => this.#text(detail)), ...times(3, () => this.#tool()),
      ...(this.#texts.length === 0 ? [] : [
        ...times(20, (detail) => this.#grow(detail)), ...times(3, (detail) => this.#snapshot(detail)), ...times(3, (detail) => this.#finishText(detail)),
      ]),
      ...(this.#tools.length === 0 ? [] : [
        ...times(6, (detail) => this.#advanceTool(detail)), (detail: number) => this.#ask(detail), (detail: number) => this.#question(detail),
      ]),
      ...(this.#permissions.length === 0 ? [] : times(3, (detail) => this.#reply(detail))),
      ...(this.#questions.length === 0 ? [] : times(3, (detail) => this.#answer(detail))),
    ];
  }

  #emit(event: NewEvent): void {
    this.steps.push({ event });
  }

  #id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${this.#ids.toString(16).padStart(12, "0")}AAAAAAAAAAAAAA`;
  }

  #opened(): void {
    const decision = { harness: "scripted", rule: 0, reason: "asked for", candidates: [] };
    this.#emit({ type: "session.opened", session: "ses_root", epoch: `e${this.#ids}`, decision, harnessVersion: null, rules: [], isolation: "none" });
  }

  #prompt(): void {
    const message: UserMessage = { id: this.#id("msg"), session: "ses_root", role: "user", turn: this.#id("trn"), at: 1000 + this.#ids, agent: "build", model: MODEL };
    const part = { id: this.#id("prt"), session: "ses_root", message: message.id, startedAt: 1, endedAt: 1, type: "text" as const, text: `prompt ${this.#ids}` };
    this.#emit({ type: "message.created", session: "ses_root", message, parts: [part] });
    this.#waiting.push(message);
  }

  #retitle(): void {
    this.#emit({ type: "session.updated", session: "ses_root", patch: { title: `Title ${this.#ids}` } });
  }

  #notice(): void {
    this.#emit({ type: "session.notice", session: "ses_root", level: "warning", code: "sample", message: `notice ${this.#ids}` });
  }

  #child(detail: number): void {
    const parent = this.#sessions[detail % this.#sessions.length]!;
    const id = this.#id("ses");
    this.#sessions.push(id);
    this.#emit({ type: "session.created", session: id, format: TRANSCRIPT_FORMAT, info: { ...sampleInfo(id), parent } });
  }

  #begin(): void {
    const prompt = this.#waiting.shift();
    const id = prompt?.turn ?? this.#id("trn");
    this.#turn = { id, session: "ses_root", message: null };
    const origin = prompt === undefined ? { origin: "harness" as const } : { origin: "user" as const, prompt: prompt.id };
    this.#emit({ type: "turn.started", session: "ses_root", turn: id, ...origin, agent: "build", model: MODEL, harness: "scripted", callsFrom: this.#calls });
  }

  #message(): void {
    const { id: turn, session } = this.#turn!;
    const message: AssistantMessage = { id: this.#id("msg"), session, role: "assistant", turn, at: 1000 + this.#ids, agent: "build", model: MODEL };
    this.#turn!.message = message;
    this.#emit({ type: "message.created", session, message });
    this.#calls += 1;
  }

  #finishMessage(): void {
    const { message, session } = this.#turn!;
    this.#emit({ type: "message.updated", session, message: message!.id, patch: { endedAt: 2000, usage: USAGE, finish: "stop" } });
  }

  #text(detail: number): void {
    const { message, session } = this.#turn!;
    const type = detail % 3 === 0 ? ("reasoning" as const) : ("text" as const);
    const part: TextPart = { id: this.#id("prt"), session, message: message!.id, type, text: "", startedAt: 1000 };
    this.#texts.push({ part, whole: "" });
    this.#emit({ type: "part.updated", session, part });
  }

  #grow(detail: number): void {
    const text = this.#texts[detail % this.#texts.length]!;
    const delta = WORDS[detail % WORDS.length]!;
    this.steps.push({ delta: { type: "part.delta", session: text.part.session, part: text.part.id, offset: text.whole.length, delta } });
    text.whole += delta;
  }

  #snapshot(detail: number): void {
    const { part, whole } = this.#texts[detail % this.#texts.length]!;
    this.#emit({ type: "part.snapshot", session: part.session, part: part.id, text: whole });
  }

  #finishText(detail: number): void {
    const [{ part, whole }] = this.#texts.splice(detail % this.#texts.length, 1) as [{ part: TextPart; whole: string }];
    this.#emit({ type: "part.updated", session: part.session, part: { ...part, text: whole, endedAt: 1500 } });
  }

  #tool(): void {
    const { message, session } = this.#turn!;
    const part: ToolPart = { id: this.#id("prt"), session, message: message!.id, type: "tool", tool: "bash", callId: this.#id("call"), state: { status: "pending", input: {} } };
    this.#tools.push(part);
    this.#emit({ type: "part.updated", session, part });
  }

  #advanceTool(detail: number): void {
    const at = detail % this.#tools.length;
    const part = this.#tools[at]!;
    const input = { command: "ls" };
    if (part.state.status === "pending") {
      part.state = { status: "running", input, startedAt: 1000 };
    } else {
      this.#tools.splice(at, 1);
      part.state = detail % 2 === 0
        ? { status: "completed", input, output: "x\n".repeat(detail % 5), metadata: { exit: 0 }, startedAt: 1000, endedAt: 1100 }
        : { status: "error", input, kind: "failed", error: "no such file", startedAt: 1000, endedAt: 1100 };
    }
    this.#emit({ type: "part.updated", session: part.session, part: { ...part } });
  }

  #ask(detail: number): void {
    const { id: turn, session } = this.#turn!;
    const { message, id: part, callId } = this.#tools[detail % this.#tools.length]!;
    const id = this.#id("per");
    this.#permissions.push({ id, session });
    const request = { id, session, turn, agent: "build", permission: "bash", tool: "bash", patterns: ["ls"], always: ["ls *"], metadata: {}, call: { message, part, callId } };
    this.#emit({ type: "permission.asked", session, request });
  }

  #reply(detail: number): void {
    const [{ id, session }] = this.#permissions.splice(detail % this.#permissions.length, 1) as [{ id: string; session: string }];
    const reply = (["once", "always", "reject"] satisfies PermissionReply[])[detail % 3]!;
    this.#emit({ type: "permission.replied", session, id, reply, always: reply === "always" ? ["ls *"] : [], by: "client" });
  }

  #question(detail: number): void {
    const { id: turn, session } = this.#turn!;
    const { message, id: part, callId } = this.#tools[detail % this.#tools.length]!;
    const id = this.#id("que");
    this.#questions.push({ id, session });
    const questions = [{ question: "Which?", header: "Pick", options: [{ label: "one", description: "" }] }];
    this.#emit({ type: "question.asked", session, request: { id, session, turn, questions, call: { message, part, callId } } });
  }

  #answer(detail: number): void {
    const [{ id, session }] = this.#questions.splice(detail % this.#questions.length, 1) as [{ id: string; session: string }];
    if (detail % 2 === 0) this.#emit({ type: "question.replied", session, id, answers: [["one"]] });
    else this.#emit({ type: "question.rejected", session, id, by: "client" });
  }

  #retry(): void {
    this.#emit({ type: "turn.retry", session: "ses_root", turn: this.#turn!.id, attempt: 1, message: "429", nextAt: 3000 });
  }

  #end(detail: number): void {
    const outcome = (["completed", "aborted", "failed"] as const)[detail % 3]!;
    if (outcome === "aborted") this.#emit({ type: "turn.aborting", session: "ses_root", turn: this.#turn!.id });
    this.#close("aborted", outcome);
  }

  /** The process dies; the next one closes what it finds open. */
  #crash(): void {
    const turn = this.#turn!.id;
    const parts = [...this.#texts.map(({ part }) => part.id), ...this.#tools.map(({ id }) => id)];
    const permissions = this.#permissions.map(({ id }) => id);
    const questions = this.#questions.map(({ id }) => id);
    this.#close("interrupted", "interrupted");
    this.#emit({ type: "session.recovered", session: "ses_root", turn, parts, permissions, questions, tornBytes: 0 });
    this.#opened();
  }

  #close(kind: "aborted" | "interrupted", outcome: "completed" | "aborted" | "failed" | "interrupted"): void {
    const by = kind === "aborted" ? ("abort" as const) : ("recovery" as const);
    for (const { id, session } of this.#permissions.splice(0)) this.#emit({ type: "permission.replied", session, id, reply: "reject", always: [], by });
    for (const { id, session } of this.#questions.splice(0)) this.#emit({ type: "question.rejected", session, id, by });
    while (this.#texts.length > 0) this.#finishText(0);
    for (const part of this.#tools.splice(0)) {
      this.#emit({ type: "part.updated", session: part.session, part: { ...part, state: { status: "error", input: part.state.input, kind, error: "stopped", endedAt: 1200 } } });
    }
    const error = outcome === "failed" ? { error: { code: "upstream", message: "cut" } } : {};
    this.#emit({ type: "turn.ended", session: "ses_root", turn: this.#turn!.id, outcome, ...error, usage: outcome === "completed" ? USAGE : null, callsTo: this.#calls });
    this.#turn = null;
  }
}
