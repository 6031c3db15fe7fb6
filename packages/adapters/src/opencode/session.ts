import { BeeuniError, type AgentSet, type Json, type TurnError } from "@beeuni/protocol";
import type { HarnessEvent, HarnessHealth, HarnessSession, HostPort, SessionFeatures, SessionSpec, TurnEnd, TurnInput } from "@beeuni/harness";
import { CallGate } from "./call-gate.ts";
import { Engine } from "./engine.ts";
import { features } from "./features.ts";
import type { Lane } from "./lane.ts";
import { defaultModel, endpointModel, GATEWAY, nativeAgent } from "./names.ts";
import { ascendingId } from "./native-ids.ts";
import type { OpenedSession } from "./native-session.ts";
import type { NativeEvent, NativePermission, NativeQuestion, StoredMessage } from "./native-events.ts";
import type { OpenCodeOptions } from "./options.ts";
import { askPerson } from "./questions.ts";
import { toolchain } from "./toolchain.ts";
import { Translator } from "./translate.ts";

/** How long the report of a call may take that OpenCode wants to run. */
const SEEN_MS = 5_000;
/** How long the stream may lag behind the end of a turn. */
const SETTLE_MS = 1_500;
/** A command that was told to stop is killed after this long; OpenCode would give it 3 s. */
const TERM_MS = 250;

interface ActiveTurn {
  agent: string;
  isAborting: boolean;
  /** What went wrong that OpenCode does not tell of. */
  failure: TurnError | null;
}

/** One session of ours on an OpenCode of its own. */
export class OpenCodeSession implements HarnessSession {
  readonly features: SessionFeatures;
  readonly #spec: SessionSpec;
  readonly #host: HostPort;
  readonly #options: OpenCodeOptions;
  readonly #gate: CallGate;
  #agents: AgentSet;
  #engine!: Engine;
  #translator: Translator | null = null;
  #nativeId = "";
  #turn: ActiveTurn | null = null;
  #running: Promise<TurnEnd> | null = null;
  #isStale = false;
  #isClosed = false;

  static async open(spec: SessionSpec, host: HostPort, options: OpenCodeOptions): Promise<OpenCodeSession> {
    const session = new OpenCodeSession(spec, host, options);
    const opened = await Engine.open(spec, host, options, {
      onEvent: (event) => session.#onEvent(event),
      onGap: () => void session.#reconcile(),
      authorize: (request) => session.#gate.authorize(request),
      runTool: (name, request, signal) => session.#gate.runTool(name, request, signal),
    });
    session.#engine = opened.engine;
    session.#bind(opened.session);
    return session;
  }

  private constructor(spec: SessionSpec, host: HostPort, options: OpenCodeOptions) {
    this.#spec = spec;
    this.#host = host;
    this.#options = options;
    this.#agents = spec.agents;
    this.#gate = new CallGate({
      host, translator: () => this.#translator, agents: () => this.#agents,
      lead: () => this.#turn?.agent ?? null, isStopping: () => this.#turn?.isAborting === true,
      emit: (events) => this.#emit(events),
      seen: (lane, call) => this.#engine.news.until(() => lane.callId(call) !== undefined, SEEN_MS),
      onBeyondSteps: (session) => this.#giveUp(session, { code: "steps", message: "The agent's steps for the turn are used up, and the model kept calling tools." }),
    });
    this.features = features({
      engine: () => this.#engine, nativeId: () => this.#nativeId, root: spec.endpoint.root, agents: () => this.#agents,
      model: () => ({ providerID: GATEWAY, modelID: defaultModel(this.#agents, spec.endpoint).wireId }), quietly: (work) => this.#quietly(work),
    });
  }

  get nativeId(): string | null {
    return this.#nativeId;
  }

  turn(input: TurnInput): Promise<TurnEnd> {
    if (this.#running !== null) return Promise.resolve(failed("a turn is running already"));
    const running = this.#run(input)
      .catch((error: unknown): TurnEnd => failed(`OpenCode failed: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => {
        this.#turn = null;
        this.#running = null;
      });
    this.#running = running;
    return running;
  }

  async abort(): Promise<void> {
    const [running, turn] = [this.#running, this.#turn];
    if (running === null || turn === null || turn.isAborting) return void (await running);
    turn.isAborting = true;
    this.#translator?.stop();
    const deadline = setTimeout(() => void this.#engine.kill(), this.#options.abortMs);
    await Promise.all([this.#stopNative(), running]);
    clearTimeout(deadline);
  }

  async reload(agents: AgentSet): Promise<void> {
    this.#agents = agents;
    this.#isStale = true;
  }

  async health(): Promise<HarnessHealth> {
    const rules = this.#agents.rulesFile;
    const details: { [key: string]: Json } = {
      pid: this.#engine.pid, port: this.#engine.port, version: toolchain.version,
      agentsMd: rules === null ? null : { source: rules.source, path: rules.path, bytes: rules.bytes, sha: rules.sha },
    };
    if (this.#isClosed) return { state: "down", error: null, details };
    const error = this.#engine.obituary;
    return { state: error === null ? "ok" : "error", error, details };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#turn !== null) this.#turn.isAborting = true;
    this.#translator?.stop();
    await this.#engine.close();
    await this.#running;
  }

  #bind({ id, known }: OpenedSession): void {
    const { history, endpoint } = this.#spec;
    this.#nativeId = id;
    this.#translator = new Translator({
      root: id, known, usedCallIds: history.flatMap(({ toolCalls }) => toolCalls.map(({ callId }) => callId)),
      model: (wireId) => endpoint.models.find((model) => model.wireId === wireId)?.ref ?? { provider: GATEWAY, id: wireId },
    });
    this.#host.emit({ type: "session.bound", nativeId: id });
  }

  async #run(input: TurnInput): Promise<TurnEnd> {
    const translator = this.#translator;
    if (translator === null || this.#isClosed) return failed("the session is closed");
    if (!this.#engine.isRunning) return failed(this.#engine.obituary ?? "OpenCode is gone");
    const agent = this.#agents.agents.find(({ name }) => name === input.agent);
    if (agent === undefined) return failed(`there is no agent "${input.agent}"`);
    const model = endpointModel(this.#spec.endpoint, input.model);
    if (model === undefined) return failed(`the session can't call ${input.model.provider}/${input.model.id}`);
    const turn: ActiveTurn = { agent: agent.name, isAborting: false, failure: null };
    this.#turn = turn;
    if (this.#isStale) {
      this.#isStale = false;
      await this.#engine.refresh(this.#agents);
    }
    const prompt = ascendingId("msg");
    const variant = this.#variant(input, agent.variant, model.variants);
    translator.root.begin(prompt);
    if (!turn.isAborting) {
      await this.#prompt(turn, {
        messageID: prompt, agent: nativeAgent(agent.name), model: { providerID: GATEWAY, modelID: model.wireId }, ...(variant === null ? {} : { variant }),
        // By the turn's id the prompt is found again.
        parts: input.parts.map((part) => (part.type === "text" ? { ...part, metadata: { turn: input.turn } } : part)),
      });
    }
    await this.#settle(turn);
    const { events, end } = translator.endTurn(turn.isAborting, turn.failure);
    this.#emit(events);
    await this.#engine.groups.sweep();
    return end;
  }

  /** Resolves when OpenCode has no more to do for the prompt, or is gone. */
  async #prompt(turn: ActiveTurn, body: object): Promise<void> {
    const answered = this.#engine.api.post(`/session/${this.#nativeId}/message`, body).then(() => null, (thrown: unknown) => (thrown as Error).message);
    const trouble = await Promise.race([answered, this.#engine.ended.then(() => null)]);
    if (turn.isAborting) return;
    // A request breaks a moment before the end of the program is told.
    if (trouble !== null) await this.#engine.news.until(() => !this.#engine.isRunning, 200);
    const message = this.#engine.obituary ?? (trouble === null ? null : `OpenCode refused the prompt: ${trouble}`);
    if (message !== null) turn.failure ??= { code: "harness", message };
  }

  /** Waits for what the stream still brings, then reads what it did not bring. */
  async #settle(turn: ActiveTurn): Promise<void> {
    const isOver = (): boolean => this.#translator?.isSettled === true || !this.#engine.isRunning;
    await this.#engine.news.until(isOver, SETTLE_MS);
    if (!isOver() && turn.failure === null) await this.#reconcile();
  }

  async #reconcile(): Promise<void> {
    try {
      const stored = await this.#engine.api.get<StoredMessage[]>(`/session/${this.#nativeId}/message`);
      this.#emit(this.#translator?.reconcile(this.#nativeId, stored) ?? []);
    } catch (thrown) {
      if (this.#engine.isRunning) this.#host.log("warning", `OpenCode's messages can't be read: ${(thrown as Error).message}`);
    }
  }

  async #stopNative(): Promise<void> {
    const calls = this.#translator?.runningCalls ?? [];
    const kill = setTimeout(() => void this.#engine.groups.kill(calls), TERM_MS);
    await this.#tell(`/session/${this.#nativeId}/abort`);
    clearTimeout(kill);
    await this.#engine.groups.kill(calls);
  }

  #onEvent(event: NativeEvent): void {
    this.#emit(this.#translator?.translate(event) ?? []);
    if (event.type === "permission.asked") void this.#onPermission(event.properties);
    else if (event.type === "question.asked") void this.#onQuestion(event.properties);
    else if (event.type === "session.status" && event.properties.status.type === "retry" && event.properties.status.attempt > this.#options.retries) {
      // OpenCode would go on trying for a minute.
      this.#giveUp(event.properties.sessionID, this.#translator?.lane(event.properties.sessionID)?.lastFailure ?? null);
    }
  }

  #emit(events: readonly HarnessEvent[]): void {
    for (const event of events) this.#host.emit(event);
    if (events.length > 0) this.#engine.news.tell();
  }

  async #onPermission(asked: NativePermission): Promise<void> {
    await this.#tell(`/permission/${asked.id}/reply`, await this.#gate.permission(asked));
  }

  async #onQuestion(asked: NativeQuestion): Promise<void> {
    const native = asked.tool?.callID ?? asked.id;
    const call = this.#gate.refOf(asked.sessionID, native, "question", { questions: asked.questions });
    if (call === null) return;
    const answer = await askPerson(this.#host, call, asked);
    if ("answers" in answer) return await this.#tell(`/question/${asked.id}/reply`, answer);
    this.#translator?.refused(asked.sessionID, native, answer.refusal);
    await this.#tell(`/question/${asked.id}/reject`);
  }

  /** Ends what runs in a native session, for a reason that OpenCode does not know. */
  #giveUp(session: string, failure: TurnError | null): void {
    if (this.#turn === null || this.#translator?.lane(session) === undefined) return;
    if (session === this.#nativeId) this.#turn.failure ??= failure;
    void this.#tell(`/session/${session}/abort`);
  }

  /** An answer or an order whose failure changes nothing for the caller. */
  async #tell(path: string, body?: object): Promise<void> {
    await this.#engine.api.post(path, body).catch((thrown: unknown) => {
      if (this.#engine.isRunning && this.#turn?.isAborting !== true) this.#host.log("warning", `OpenCode did not take an answer: ${(thrown as Error).message}`);
    });
  }

  /** Work of OpenCode's on its own session that is no turn. */
  async #quietly<T>(work: () => Promise<T>): Promise<T> {
    const root: Lane | undefined = this.#translator?.root;
    if (this.#running !== null || root === undefined) throw new BeeuniError("session_busy", "a turn is running", { hint: "wait for its end, or stop it" });
    root.isQuiet = true;
    try {
      return await work();
    } finally {
      root.isQuiet = false;
    }
  }

  #variant({ model }: TurnInput, ofAgent: string | null, offered: { [name: string]: object }): string | null {
    const variant = model.variant ?? ofAgent;
    if (variant === null || offered[variant] !== undefined) return variant;
    this.#host.emit({ type: "notice", level: "warning", code: "variant_unknown", message: `The model ${model.provider}/${model.id} has no variant "${variant}"; the turn runs without.` });
    return null;
  }
}

function failed(message: string): TurnEnd {
  return { outcome: "failed", error: { code: "harness", message } };
}
