import { BeeuniError, type Health, type HarnessDecision, type ModelRef, nearNames, newId, observeForeignId, type PermissionReplyBody, type UpdateSession } from "@beeuni/protocol";
import type { AgentSet, AgentSpec, Harness } from "@beeuni/harness";
import { toolPermissionKeys } from "@beeuni/tools";
import type { TraceWriter } from "@beeuni/trace";
import type { SessionLog, SessionState, StreamEvent } from "@beeuni/transcript";
import { EventHub } from "../stream/event-hub.ts";
import type { AcceptedPrompt, PromptInput, SessionHost } from "../types.ts";
import type { Binding } from "./binding.ts";
import type { Checkpoint } from "./checkpoints.ts";
import { HarnessRunner } from "./harness-runner.ts";
import { type DaemonFacts, healthDocument } from "./health.ts";
import { hostPort } from "./host-port.ts";
import type { HostTools } from "./host-tools.ts";
import { Journal } from "./journal.ts";
import type { Logger } from "./logger.ts";
import type { ModelAccess } from "./model-access.ts";
import { type AllowFlags, Permissions } from "./permissions.ts";
import { earlierPrompt, promptEvents, turnParts } from "./prompt-intake.ts";
import { Questions } from "./questions.ts";
import { Translator } from "./translate-events.ts";
import { Turns } from "./turns.ts";
import { updateEvent } from "./update-session.ts";

/** Everything that a session needs, decided and opened. The host closes what it was given. */
export interface OpenSessionParts {
  id: string;
  log: SessionLog;
  trace: TraceWriter;
  binding: Binding;
  access: ModelAccess;
  harness: Harness;
  decision: HarnessDecision;
  agents: AgentSet;
  tools: HostTools;
  /** Throws `model_not_found`, or `no_model` when nothing names one. */
  resolveModel: (agent: AgentSpec, asked: string | undefined, variant: string | undefined, session: SessionState) => ModelRef;
  toolchainDir: string;
  stateDir: string;
  commandEnv: { [name: string]: string };
  flags: AllowFlags;
  headless: boolean;
  facts: DaemonFacts;
  checkpoint: Checkpoint;
  warn: Logger;
  abortGrace: number;
  closeGrace: number;
  /** The session is closed. */
  onOver: () => void;
}

/** One open session: wires the log, the harness, permissions and questions together, and takes prompts. */
export class OpenSession implements SessionHost {
  readonly id: string;
  readonly decision: HarnessDecision;
  readonly harness: Harness;
  readonly log: SessionLog;
  readonly hub: EventHub;
  readonly runner: HarnessRunner;
  readonly #parts: OpenSessionParts;
  readonly #journal: Journal;
  readonly #turns: Turns;
  readonly #permissions: Permissions;
  readonly #questions: Questions;
  readonly #translator: Translator;
  #closing: Promise<void> | null = null;

  constructor(parts: OpenSessionParts) {
    const { id, log, trace, binding, access, harness, decision, agents, tools, checkpoint, headless } = parts;
    this.#parts = parts;
    this.id = id;
    this.decision = decision;
    this.harness = harness;
    this.log = log;
    this.hub = new EventHub(log);
    const journal = new Journal(log, id, (error) => this.#fail(error));
    this.#journal = journal;
    const warn = (message: string): void => parts.warn("warning", `${id}: ${message}`);
    this.#translator = new Translator({ journal, hub: this.hub, binding: () => binding, checkpoint, warn });
    const partOf = (callId: string) => this.#translator.tools.get(callId);
    this.#permissions = new Permissions({
      journal, checkpoint, partOf, headless, flags: parts.flags,
      policyOf: (name) => {
        const agent = agents.agents.find((known) => known.name === name);
        return agent === undefined ? undefined : { dialect: harness.dialect, agent, workspace: parts.facts.directory };
      },
      keysOf: (call) => (tools.has(call.tool) ? toolPermissionKeys(call.tool, call.input) : undefined),
    });
    this.#questions = new Questions({ journal, checkpoint, partOf, headless });
    this.runner = new HarnessRunner({
      harness, journal, binding, access, checkpoint, warn, closeGrace: parts.closeGrace,
      spec: {
        session: id, workspace: parts.facts.directory, stateDir: parts.stateDir, toolchainDir: parts.toolchainDir, surface: "project", agents,
        commandEnv: parts.commandEnv,
      },
      hostPort: (isCurrent) => hostPort({
        journal, binding, turns: this.#turns, permissions: this.#permissions, questions: this.#questions, tools,
        log: (level, message) => parts.warn(level, `${id}: ${message}`),
      }, isCurrent),
      onGone: (message) => {
        journal.append({ type: "session.notice", session: id, level: "warning", code: "harness_gone", message: `The ${harness.id} harness was closed: ${message}. The next prompt starts it again.` });
        this.#turns.harnessGone(message);
      },
    });
    this.#turns = new Turns({
      journal, translator: this.#translator, trace, checkpoint, harness: harness.id, warn, abortGrace: parts.abortGrace,
      run: (turn, content) => this.runner.run(turn, content),
      stop: () => this.runner.stop(),
      discard: (reason) => this.runner.discard(reason),
      closeRequests: (turn) => {
        this.#permissions.rejectAll(turn);
        this.#questions.rejectAll(turn);
      },
      beforeEnd: () => binding.settled(),
    });
  }

  get failure(): BeeuniError | null {
    return this.#journal.failure;
  }

  state(): SessionState {
    return this.#journal.state;
  }

  /** Begins to open the harness; a failure shows in `health` and at the next prompt. */
  start(): void {
    this.runner.ready(this.state().info.model).catch(() => {});
  }

  async prompt(input: PromptInput): Promise<AcceptedPrompt> {
    if (this.#closing !== null) throw new BeeuniError("aborted", `the session ${this.id} is being closed`);
    if (input.parts.length === 0) throw new BeeuniError("invalid_request", "parts must be a non-empty array");
    const earlier = input.messageId === undefined ? undefined : earlierPrompt(input.messageId, this.state());
    if (earlier !== undefined) {
      await this.#journal.flushed();
      return { message: earlier.id, turn: earlier.turn, deduplicated: true, done: this.#turns.ended(earlier.turn) };
    }
    // What answers the prompt must sort after it.
    if (input.messageId !== undefined) observeForeignId(input.messageId);
    const agent = this.#agent(input.agent);
    const model = this.#parts.resolveModel(agent, input.model, input.variant, this.state());
    const [message, turn] = [input.messageId ?? newId("msg"), newId("trn")];
    const accepted = { session: this.id, message, turn, at: this.#journal.now(), agent: agent.name, model, parts: input.parts };
    this.#journal.append(...promptEvents(accepted, this.state()));
    const done = this.#turns.ended(turn);
    await this.#journal.flushed();
    this.#parts.checkpoint("prompt-accepted");
    this.#turns.enqueue({ message, turn, agent: agent.name, model, parts: turnParts(input.parts) });
    return { message, turn, deduplicated: false, done };
  }

  async abort(): Promise<boolean> {
    if (!this.#turns.abort()) return false;
    await this.#journal.flushed();
    this.#parts.checkpoint("aborting");
    return true;
  }

  /** Changes a session of the tree. Resolves when it is on the disk. */
  async update(session: string, patch: UpdateSession): Promise<void> {
    this.#journal.append(updateEvent(session, patch));
    await this.#journal.flushed();
  }

  async replyPermission(id: string, reply: PermissionReplyBody): Promise<void> {
    await this.#permissions.reply(id, reply);
  }

  async replyQuestion(id: string, answers: string[][]): Promise<void> {
    await this.#questions.reply(id, answers);
  }

  async rejectQuestion(id: string): Promise<void> {
    await this.#questions.reject(id);
  }

  subscribe(listener: (event: StreamEvent) => void): () => void {
    return this.hub.subscribe({ event: listener });
  }

  async health(): Promise<Health> {
    const { facts, harness, decision } = this.#parts;
    const failure = this.failure;
    return healthDocument({
      ...facts, decision, epoch: this.log.epoch, capabilities: this.runner.capabilities(), harnessVersion: harness.toolchain.version,
      harness: await this.runner.health(), support: harness.support(), session: this.state(), now: Date.now(),
      ...(failure === null ? {} : { bootError: failure.message }),
    });
  }

  /** Stops what runs, closes the harness and frees the log. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { binding, trace, log, onOver } = this.#parts;
    if (this.failure === null) await this.#turns.close();
    await this.runner.close();
    this.#translator.close();
    this.#permissions.dropAll();
    this.#questions.dropAll();
    await binding.flush();
    await this.#journal.flushed().catch(() => {});
    this.#journal.close();
    this.hub.close();
    // The log must be freed whatever else fails.
    await Promise.allSettled([trace.close(), log.close()]);
    onOver();
  }

  #fail(error: BeeuniError): void {
    // A run has one prompt, which ends with this error.
    if (!this.#parts.headless) this.#parts.warn("error", `${this.id}: the log can't be written: ${error.message}`);
    this.#turns.fail(error);
    this.#permissions.dropAll();
    this.#questions.dropAll();
    this.runner.stop();
    this.hub.fail(error);
  }

  #agent(name: string | undefined): AgentSpec {
    const { agents } = this.#parts;
    const wanted = name ?? this.state().info.agent;
    const agent = agents.agents.find((known) => known.name === wanted);
    if (agent !== undefined && agent.mode !== "subagent") return agent;
    if (agent !== undefined) throw new BeeuniError("invalid_request", `agent "${wanted}" is a sub-agent (mode: subagent) and can't answer a prompt`);
    const near = nearNames(wanted, agents.agents.map((known) => known.name));
    throw new BeeuniError("agent_not_found", `there is no agent "${wanted}" in this session`, {
      hint: near.length > 0 ? `did you mean ${near.join(" or ")}?` : `agents: ${agents.agents.map((known) => known.name).join(", ")}`,
    });
  }
}
