import { formatModelRef, type AgentSet, type AgentSpec, type EndpointModel, type ModelRef, type TurnError } from "@beeuni/protocol";
import type { HarnessHealth, HarnessSession, HostPort, SessionSpec, TurnEnd, TurnInput } from "@beeuni/harness";
import { mayUseTool } from "@beeuni/harness";
import { features } from "./features.ts";
import { endpointModel, GATEWAY, samplingOf } from "./models.ts";
import { DEFAULT_OPTIONS, type PiOptions } from "./options.ts";
import { nativePrompt } from "./prompt-parts.ts";
import { startPi, type PiProcess } from "./process.ts";
import { systemPrompt } from "./prompt.ts";
import type { NativeModel, NativeSession } from "./sdk.ts";
import { keepPrivate } from "./session-store.ts";
import { CallResources } from "./tools/call-resources.ts";
import { toolchain } from "./toolchain.ts";
import { TurnTranslator } from "./translate.ts";
import { type ActiveTurn, isBeyondSteps, stepsAreOver } from "./turn.ts";

/** One session of ours on Pi. The Pi session lives as long as this does and is used for every turn. */
export class PiSession implements HarnessSession {
  readonly features = features;
  readonly #spec: SessionSpec;
  readonly #host: HostPort;
  readonly #resources = new CallResources();
  #agents: AgentSet;
  #pi: PiProcess | null = null;
  #native: NativeSession | null = null;
  /** Host tools of the Pi session; it is made anew when they change. */
  #nativeTools: AgentSet["hostTools"] = [];
  #prompt: string;
  /** Of the last turn. */
  #model: ModelRef | null;
  #turn: ActiveTurn | null = null;
  #running: Promise<TurnEnd> | null = null;
  #isAborting = false;

  static async open(spec: SessionSpec, host: HostPort, options: PiOptions = DEFAULT_OPTIONS): Promise<PiSession> {
    const session = new PiSession(spec, host);
    session.#pi = await startPi(spec, options, {
      host, resources: session.#resources, turn: () => session.#turn,
      isHidden: (tool) => session.#isHidden(tool), systemPrompt: () => session.#prompt,
    });
    await session.#startNative(session.#pi);
    host.emit({ type: "session.bound", nativeId: session.#pi.store.getSessionId() });
    return session;
  }

  private constructor(spec: SessionSpec, host: HostPort) {
    this.#spec = spec;
    this.#host = host;
    this.#agents = spec.agents;
    const first = spec.agents.agents.find(({ name }) => name === spec.agents.default) ?? spec.agents.agents[0];
    this.#prompt = first === undefined ? "" : systemPrompt(first, spec.agents);
    this.#model = first?.model ?? spec.endpoint.models[0]?.ref ?? null;
  }

  get nativeId(): string | null {
    return this.#pi?.store.getSessionId() ?? null;
  }

  turn(input: TurnInput): Promise<TurnEnd> {
    if (this.#running !== null) return Promise.resolve(failed("harness", "a turn is running already"));
    this.#isAborting = false;
    const running = this.#run(input)
      .catch((error: unknown) => failed("harness", `Pi failed: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => {
        this.#turn = null;
        this.#running = null;
      });
    this.#running = running;
    return running;
  }

  async abort(): Promise<void> {
    if (this.#running === null) return;
    this.#isAborting = true;
    const running = this.#running;
    // Before the run has begun there is nothing to abort in Pi: `#run` looks at the flag when it begins.
    await this.#native?.abort();
    await running;
  }

  async reload(agents: AgentSet): Promise<void> {
    this.#agents = agents;
  }

  async health(): Promise<HarnessHealth> {
    const rules = this.#agents.rulesFile;
    return {
      state: this.#native === null ? "down" : "ok", error: null,
      details: {
        model: this.#model === null ? null : formatModelRef(this.#model),
        extensions: { loaded: [], failed: [] },
        agentsMd: rules === null ? null : { source: rules.source, path: rules.path, bytes: rules.bytes, sha: rules.sha },
        version: toolchain.version,
      },
    };
  }

  async close(): Promise<void> {
    await this.abort();
    this.#native?.dispose();
    this.#native = null;
    await this.#resources.close();
    await this.#pi?.close();
    this.#pi = null;
  }

  async #run(input: TurnInput): Promise<TurnEnd> {
    const pi = this.#pi;
    if (pi === null) return failed("harness", "the session is closed");
    const agent = this.#agents.agents.find(({ name }) => name === input.agent);
    if (agent === undefined) return failed("harness", `there is no agent "${input.agent}"`);
    const model = endpointModel(this.#spec.endpoint, input.model);
    const nativeModel = model === undefined ? undefined : pi.models.getModel(GATEWAY, model.wireId);
    if (model === undefined || nativeModel === undefined) return failed("harness", `the session can't call ${input.model.provider}/${input.model.id}`);

    const turn: ActiveTurn = { id: input.turn, agent, model: input.model, sampling: this.#sampling(model, agent, input), stepsTaken: 0 };
    this.#turn = turn;
    this.#model = input.model;
    const native = await this.#prepare(pi, turn, nativeModel);
    const translator = new TurnTranslator(turn.id, turn.model);
    const unsubscribe = native.subscribe((event) => {
      for (const translated of translator.translate(event, Date.now())) this.#host.emit(translated);
    });
    try {
      const { text, images } = await nativePrompt(input.parts, model.images);
      if (this.#isAborting) return { outcome: "aborted" };
      await native.prompt(text, {
        expandPromptTemplates: false, ...(images.length === 0 ? {} : { images }),
        preflightResult: () => { if (this.#isAborting) void native.abort(); },
      });
    } finally {
      unsubscribe();
      await keepPrivate(pi.store);
    }
    return translator.end({ isAborted: this.#isAborting, isBeyondSteps: isBeyondSteps(turn) });
  }

  /** Brings Pi to the turn's agent and model. Does nothing when the turn before had the same. */
  async #prepare(pi: PiProcess, turn: ActiveTurn, model: NativeModel): Promise<NativeSession> {
    const prompt = systemPrompt(turn.agent, this.#agents);
    const isNewPrompt = prompt !== this.#prompt;
    this.#prompt = prompt;
    const native = this.#native !== null && sameTools(this.#nativeTools, this.#agents.hostTools) ? this.#native : await this.#startNative(pi);
    if (isNewPrompt) native.setActiveToolsByName(native.getActiveToolNames());
    if (native.model?.id !== model.id) await native.setModel(model);
    return native;
  }

  async #startNative(pi: PiProcess): Promise<NativeSession> {
    this.#native?.dispose();
    this.#native = null;
    this.#nativeTools = this.#agents.hostTools;
    this.#native = await pi.startSession(this.#nativeTools);
    return this.#native;
  }

  #sampling(model: EndpointModel, agent: AgentSpec, input: TurnInput): ActiveTurn["sampling"] {
    const variant = input.model.variant ?? agent.variant;
    if (variant !== null && model.variants[variant] === undefined) {
      this.#host.emit({ type: "notice", level: "warning", code: "variant_unknown", message: `The model ${model.ref.provider}/${model.ref.id} has no variant "${variant}"; the turn runs without.` });
    }
    return samplingOf(model, agent, variant);
  }

  #isHidden(tool: string): boolean {
    const turn = this.#turn;
    return turn !== null && (stepsAreOver(turn) || !mayUseTool(turn.agent.tools, tool));
  }
}

function sameTools(a: AgentSet["hostTools"], b: AgentSet["hostTools"]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function failed(code: TurnError["code"], message: string): TurnEnd {
  return { outcome: "failed", error: { code, message } };
}
