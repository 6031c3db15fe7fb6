import { BeeuniError, type AgentSet, type Json, type ModelRef, type TurnError } from "@beeuni/protocol";
import type { HarnessEvent, HarnessHealth, HarnessSession, HostPort, SessionFeatures, SessionSpec, ToolCallRef, TurnEnd, TurnInput } from "@beeuni/harness";
import { Bridge } from "./bridge.ts";
import { CallGate } from "./call-gate.ts";
import { CommandGroups } from "./command-groups.ts";
import { EventStream } from "./event-stream.ts";
import { features } from "./features.ts";
import type { Lane } from "./lane.ts";
import { layOut, startServer, writeFiles, type Layout } from "./launch.ts";
import { agentOf, callableModels, endpointModel, GATEWAY, nativeAgent } from "./names.ts";
import { ascendingId } from "./native-ids.ts";
import { openNativeSession } from "./native-session.ts";
import type { NativeEvent, NativePermission, NativeQuestion, StoredMessage } from "./native-events.ts";
import type { OpenCodeOptions } from "./options.ts";
import type { ServerProcess } from "./process.ts";
import { toolchain } from "./toolchain.ts";
import { Translator } from "./translate.ts";
import { Waiter } from "./waiter.ts";

/** How long the plugin has to report after the workspace was opened. */
const HELLO_MS = 30_000;
/** How long news of a call may take that OpenCode wants to run. */
const SEEN_MS = 5_000;
/** How long the stream may lag behind the end of a turn. */
const SETTLE_MS = 1_500;
/** A command that was told to stop is killed after this long; OpenCode would give it 3 s. */
const TERM_MS = 250;
/** A stop that OpenCode does not follow ends OpenCode. */
const ABORT_MS = 8_000;

interface ActiveTurn {
  agent: string;
  isAborting: boolean;
  failure: TurnError | null;
}

/** One session of ours on an OpenCode of its own. */
export class OpenCodeSession implements HarnessSession {
  readonly features: SessionFeatures;
  readonly #spec: SessionSpec;
  readonly #host: HostPort;
  readonly #options: OpenCodeOptions;
  readonly #layout: Layout;
  readonly #groups: CommandGroups;
  readonly #gate: CallGate;
  /** Told about each event, for whoever waits for one. */
  readonly #news = new Waiter();
  #agents: AgentSet;
  #bridge!: Bridge;
  #server!: ServerProcess;
  #password = "";
  #stream: EventStream | null = null;
  #translator: Translator | null = null;
  #nativeId: string | null = null;
  #hellos = 0;
  #pid: number | null = null;
  #turn: ActiveTurn | null = null;
  #running: Promise<TurnEnd> | null = null;
  #isStale = false;
  #isClosed = false;

  static async open(spec: SessionSpec, host: HostPort, options: OpenCodeOptions): Promise<OpenCodeSession> {
    const session = new OpenCodeSession(spec, host, options, await layOut(spec));
    try {
      await session.#start();
      return session;
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
  }

  private constructor(spec: SessionSpec, host: HostPort, options: OpenCodeOptions, layout: Layout) {
    this.#spec = spec;
    this.#host = host;
    this.#options = options;
    this.#layout = layout;
    this.#agents = spec.agents;
    this.#groups = new CommandGroups(layout.groups);
    this.#gate = new CallGate({
      host, translator: () => this.#translator, agents: () => this.#agents, lead: () => (this.#turn === null || this.#turn.isAborting ? null : this.#turn.agent),
      emit: (events) => this.#emit(events), seen: (lane, call) => this.#seen(lane, call),
      onBeyondSteps: (native) => this.#beyondSteps(native),
    });
    this.features = features({
      api: () => this.#server.api, nativeId: () => this.#nativeId ?? "", layout, root: spec.endpoint.root,
      agents: () => this.#agents, password: () => this.#password, model: () => this.#defaultModel(),
      quietly: (work) => this.#quietly(work),
    });
  }

  get nativeId(): string | null {
    return this.#nativeId;
  }

  turn(input: TurnInput): Promise<TurnEnd> {
    if (this.#running !== null) return Promise.resolve(failed("harness", "a turn is running already"));
    const running = this.#run(input)
      .catch((error: unknown): TurnEnd => failed("harness", `OpenCode failed: ${error instanceof Error ? error.message : String(error)}`))
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
    const deadline = setTimeout(() => void this.#server.stop(), ABORT_MS);
    await Promise.all([this.#stopNative(), running]);
    clearTimeout(deadline);
  }

  async reload(agents: AgentSet): Promise<void> {
    this.#agents = agents;
    this.#isStale = true;
  }

  async health(): Promise<HarnessHealth> {
    const rules = this.#agents.rulesFile;
    const end = this.#server.end;
    const details: { [key: string]: Json } = {
      pid: this.#pid, port: this.#server.port, version: toolchain.version,
      agentsMd: rules === null ? null : { source: rules.source, path: rules.path, bytes: rules.bytes, sha: rules.sha },
    };
    if (this.#isClosed) return { state: "down", error: null, details };
    return end === null ? { state: "ok", error: null, details } : { state: "error", error: `OpenCode is gone: ${end}`, details };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const turn = this.#turn;
    if (turn !== null) turn.isAborting = true;
    // Commands first: with OpenCode gone nobody would know them.
    await this.#groups.killAll();
    await this.#stream?.close();
    await (this.#server as ServerProcess | undefined)?.stop();
    await this.#groups.killAll();
    this.#news.tell();
    await this.#running;
    await (this.#bridge as Bridge | undefined)?.close();
  }

  async #start(): Promise<void> {
    const { spec, host, options, layout } = { spec: this.#spec, host: this.#host, options: this.#options, layout: this.#layout };
    this.#bridge = await Bridge.open({
      hello: ({ pid }) => {
        this.#hellos++;
        this.#pid = pid;
        this.#news.tell();
      },
      authorize: (request) => this.#gate.authorize(request),
      runTool: (name, request, signal) => this.#gate.runTool(name, request, signal),
    });
    await writeFiles(layout, spec, this.#agents, this.#bridge);
    const { server, password } = await startServer(layout, spec, options, host);
    [this.#server, this.#password] = [server, password];
    void server.ended.then(() => this.#news.tell());
    const { id, known } = await openNativeSession({
      api: server.api, host, resume: spec.resume, history: spec.history, title: options.titles ? undefined : `beeuni ${spec.session}`,
      author: { agent: nativeAgent(spec.agents.default), wireId: this.#defaultModel().modelID, workspace: layout.workspace },
    });
    await this.#hello(0);
    this.#nativeId = id;
    this.#translator = new Translator({
      root: id, known, usedCallIds: spec.history.flatMap(({ toolCalls }) => toolCalls.map(({ callId }) => callId)), model: (wireId) => this.#modelRef(wireId),
    });
    this.#stream = await EventStream.open({
      api: server.api, silenceMs: options.silenceMs, onEvent: (event) => this.#onEvent(event),
      onReconnect: () => void this.#reconcile().catch((thrown: unknown) => host.log("warning", `OpenCode's messages can't be read: ${(thrown as Error).message}`)),
      onTrouble: (message) => host.log("warning", message),
    });
    host.emit({ type: "session.bound", nativeId: id });
  }

  /** Without the plugin nobody would ask the host: a start without it is none. */
  async #hello(before: number): Promise<void> {
    await this.#news.until(() => this.#hellos > before || !this.#server.isRunning, HELLO_MS);
    if (this.#hellos > before) return;
    throw new BeeuniError("harness_start_failed", `OpenCode did not load beeuni's plugin, without which its tool calls would be nobody's decision\n${this.#server.logTail()}`, {
      hint: "the lines above are its own; report this with them",
    });
  }

  async #run(input: TurnInput): Promise<TurnEnd> {
    const { translator, model } = { translator: this.#translator, model: endpointModel(this.#spec.endpoint, input.model) };
    if (translator === null || this.#isClosed) return failed("harness", "the session is closed");
    if (!this.#server.isRunning) return failed("harness", `OpenCode is gone: ${this.#server.end}`);
    const agent = this.#agents.agents.find(({ name }) => name === input.agent);
    if (agent === undefined) return failed("harness", `there is no agent "${input.agent}"`);
    if (model === undefined) return failed("harness", `the session can't call ${input.model.provider}/${input.model.id}`);
    const turn: ActiveTurn = { agent: agent.name, isAborting: false, failure: null };
    this.#turn = turn;
    await this.#refresh();
    const variant = this.#variant(input, agent.variant, model.variants);
    const prompt = ascendingId("msg");
    translator.root.begin(prompt);
    if (!turn.isAborting) await this.#prompt(turn, {
      messageID: prompt, agent: nativeAgent(agent.name), model: { providerID: GATEWAY, modelID: model.wireId }, ...(variant === null ? {} : { variant }),
      parts: input.parts.map((part, index) => ({ ...part, ...(index === 0 && part.type === "text" ? { metadata: { turn: input.turn } } : {}) })),
    });
    await this.#settle(turn);
    const { events, end } = translator.endTurn(turn.isAborting, turn.failure);
    this.#emit(events);
    await this.#groups.sweep();
    return end;
  }

  /** Resolves when OpenCode has no more to do for the prompt, or is gone. */
  async #prompt(turn: ActiveTurn, body: object): Promise<void> {
    const answered = this.#server.api.post(`/session/${this.#nativeId}/message`, body).catch((thrown: unknown) => {
      if (this.#server.isRunning && !turn.isAborting) turn.failure ??= { code: "harness", message: `OpenCode refused the prompt: ${(thrown as Error).message}` };
    });
    await Promise.race([answered, this.#server.ended]);
    // A request that broke because OpenCode died is told a moment before the death is.
    if (turn.failure !== null) await Promise.race([this.#server.ended, new Promise((resolve) => setTimeout(resolve, 100))]);
    if (!this.#server.isRunning && !turn.isAborting) {
      turn.failure = { code: "harness", message: `OpenCode is gone: ${this.#server.end}${this.#server.logTail() === "" ? "" : `\n${this.#server.logTail()}`}` };
    }
  }

  /** Waits for what the stream still brings, then reads what it did not bring. */
  async #settle(turn: ActiveTurn): Promise<void> {
    const isOver = (): boolean => this.#translator?.isSettled === true || !this.#server.isRunning;
    await this.#news.until(isOver, SETTLE_MS);
    if (isOver() || turn.failure !== null) return;
    await this.#reconcile().catch((thrown: unknown) => this.#host.log("warning", `OpenCode's messages can't be read: ${(thrown as Error).message}`));
  }

  async #reconcile(): Promise<void> {
    const [translator, id] = [this.#translator, this.#nativeId];
    if (translator === null || id === null) return;
    const stored = await this.#server.api.get<StoredMessage[]>(`/session/${id}/message`);
    this.#emit(translator.reconcile(id, stored));
  }

  /** A new configuration takes effect between turns. */
  async #refresh(): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    await writeFiles(this.#layout, this.#spec, this.#agents, this.#bridge);
    const before = this.#hellos;
    await this.#server.api.post("/instance/dispose");
    await this.#server.api.get(`/session/${this.#nativeId}`);
    await this.#hello(before);
  }

  async #stopNative(): Promise<void> {
    const calls = this.#translator?.runningCalls ?? [];
    const kill = setTimeout(() => void this.#groups.kill(calls), TERM_MS);
    await this.#server.api.post(`/session/${this.#nativeId}/abort`).catch((thrown: unknown) => {
      if (this.#server.isRunning) this.#host.log("warning", `OpenCode did not take the stop: ${(thrown as Error).message}`);
    });
    clearTimeout(kill);
    await this.#groups.kill(calls);
  }

  #onEvent(event: NativeEvent): void {
    this.#emit(this.#translator?.translate(event) ?? []);
    if (event.type === "permission.asked") void this.#onPermission(event.properties);
    else if (event.type === "question.asked") void this.#onQuestion(event.properties);
    else if (event.type === "session.status" && event.properties.status.type === "retry") this.#onRetry(event.properties.sessionID, event.properties.status.attempt);
    this.#news.tell();
  }

  #emit(events: readonly HarnessEvent[]): void {
    for (const event of events) this.#host.emit(event);
    if (events.length > 0) this.#news.tell();
  }

  async #onPermission(asked: NativePermission): Promise<void> {
    const answer = await this.#gate.permission(asked);
    await this.#reply(`/permission/${asked.id}/reply`, answer);
  }

  async #onQuestion(asked: NativeQuestion): Promise<void> {
    const lane = this.#translator?.lane(asked.sessionID);
    if (lane === undefined) return;
    const native = asked.tool?.callID ?? asked.id;
    const call: ToolCallRef = {
      ...(lane.child === undefined ? {} : { child: lane.child }), agent: agentOf(lane.agent, this.#agents) ?? this.#turn?.agent ?? lane.agent,
      tool: "question", callId: lane.callId(native) ?? native, input: { questions: asked.questions },
    };
    try {
      const answers = await this.#host.ask(call, asked.questions);
      await this.#reply(`/question/${asked.id}/reply`, { answers });
    } catch (thrown) {
      const code = thrown instanceof BeeuniError ? thrown.code : "";
      this.#translator?.refused(asked.sessionID, native, code === "aborted"
        ? { kind: "aborted", message: "The call was stopped before it ended." }
        : { kind: code === "denied" ? "rejected" : "failed", message: code === "denied" ? "The user dismissed the question." : (thrown as Error).message });
      await this.#reply(`/question/${asked.id}/reject`, undefined);
    }
  }

  async #reply(path: string, body: object | undefined): Promise<void> {
    await this.#server.api.post(path, body).catch((thrown: unknown) => {
      if (this.#server.isRunning && this.#turn?.isAborting !== true) this.#host.log("warning", `OpenCode did not take an answer: ${(thrown as Error).message}`);
    });
  }

  /** OpenCode would go on trying for a minute. */
  #onRetry(session: string, attempt: number): void {
    const turn = this.#turn;
    const lane = this.#translator?.lane(session);
    if (turn === null || lane === undefined || attempt <= this.#options.retries) return;
    if (lane.child === undefined) turn.failure ??= lane.lastFailure;
    void this.#server.api.post(`/session/${session}/abort`).catch(() => {});
  }

  #beyondSteps(session: string): void {
    const turn = this.#turn;
    if (turn !== null && session === this.#nativeId) turn.failure ??= { code: "steps", message: "The agent's steps for the turn are used up, and the model kept calling tools." };
    void this.#server.api.post(`/session/${session}/abort`).catch(() => {});
  }

  async #seen(lane: Lane, call: string): Promise<void> {
    await this.#news.until(() => lane.callId(call) !== undefined, SEEN_MS);
  }

  /** Work of OpenCode's on its own session that is no turn. */
  async #quietly<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running !== null) throw new BeeuniError("session_busy", "a turn is running", { hint: "wait for its end, or stop it" });
    const root = this.#translator?.root;
    if (root !== undefined) root.isQuiet = true;
    try {
      return await work();
    } finally {
      if (root !== undefined) root.isQuiet = false;
    }
  }

  #variant({ model }: TurnInput, ofAgent: string | null, offered: { [name: string]: object }): string | null {
    const variant = model.variant ?? ofAgent;
    if (variant === null || offered[variant] !== undefined) return variant;
    this.#host.emit({ type: "notice", level: "warning", code: "variant_unknown", message: `The model ${model.provider}/${model.id} has no variant "${variant}"; the turn runs without.` });
    return null;
  }

  #modelRef(wireId: string): ModelRef {
    return this.#spec.endpoint.models.find((model) => model.wireId === wireId)?.ref ?? { provider: GATEWAY, id: wireId };
  }

  #defaultModel(): { providerID: string; modelID: string } {
    const lead = this.#agents.agents.find(({ name }) => name === this.#agents.default)?.model ?? null;
    const model = (lead === null ? undefined : endpointModel(this.#spec.endpoint, lead)) ?? callableModels(this.#spec.endpoint)[0];
    if (model === undefined) throw new BeeuniError("no_model", "the session has no model that OpenCode can call", { hint: "give a model with --model provider/model" });
    return { providerID: GATEWAY, modelID: model.wireId };
  }
}

function failed(code: TurnError["code"], message: string): TurnEnd {
  return { outcome: "failed", error: { code, message } };
}
