import { setTimeout as wait } from "node:timers/promises";
import type { AgentSet, AgentSpec, HarnessHealth, HarnessSession, HostPort, SessionFeatures, SessionSpec, TurnEnd, TurnInput } from "@beeuni/harness";
import { Crashed, Lane } from "./lane.ts";
import type { TurnContext } from "./lane.ts";
import type { NativeState } from "./native-state.ts";
import { parseScript } from "./script.ts";
import type { Step } from "./script.ts";

/** An open session of the scripted harness. Turns run one at a time, also those that it starts by itself. */
export class ScriptedSession implements HarnessSession {
  readonly features: SessionFeatures;
  readonly #spec: SessionSpec;
  readonly #host: HostPort;
  readonly #state: NativeState;
  readonly #model: boolean;
  #agents: AgentSet;
  /** Set once the native id was reported. */
  #bound: boolean;
  #running: AbortController | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  /** Turns that wait for their moment to begin by themselves. */
  readonly #pending = new Set<AbortController>();
  #turns = 0;
  #dead: string | null = null;

  constructor(options: {
    spec: SessionSpec; host: HostPort; state: NativeState; model: boolean; bound: boolean; features: SessionFeatures;
  }) {
    this.#spec = options.spec;
    this.#agents = options.spec.agents;
    this.#host = options.host;
    this.#state = options.state;
    this.#model = options.model;
    this.#bound = options.bound;
    this.features = options.features;
  }

  get nativeId(): string | null {
    return this.#bound ? this.#state.nativeId : null;
  }

  async turn(input: TurnInput): Promise<TurnEnd> {
    const prompt = input.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    let steps: Step[];
    try {
      steps = parseScript(prompt);
    } catch (thrown) {
      return { outcome: "failed", error: { code: "harness", message: (thrown as Error).message } };
    }
    return await this.#exclusive(async (signal) => {
      await this.#state.add({ key: `${input.turn}.m0`, role: "user", text: prompt, toolCalls: [] });
      return await this.#play(input, input.turn, steps, signal);
    });
  }

  async abort(): Promise<void> {
    for (const pending of this.#pending) pending.abort();
    this.#running?.abort();
    await this.#queue;
  }

  async reload(agents: AgentSet): Promise<void> {
    this.#agents = agents;
  }

  async health(): Promise<HarnessHealth> {
    const details = { turns: this.#turns, messages: this.#state.messages.length };
    return { state: this.#dead === null ? "ok" : "down", error: this.#dead, details };
  }

  async close(): Promise<void> {
    this.#dead ??= "the session is closed";
    await this.abort();
  }

  async #exclusive(body: (signal: AbortSignal) => Promise<TurnEnd>): Promise<TurnEnd> {
    const run = this.#queue.then(async (): Promise<TurnEnd> => {
      if (this.#dead !== null) return { outcome: "failed", error: { code: "harness", message: this.#dead } };
      this.#running = new AbortController();
      this.#turns++;
      try {
        return await body(this.#running.signal);
      } finally {
        this.#running = null;
      }
    });
    this.#queue = run.catch(() => undefined);
    return await run;
  }

  async #play(input: TurnInput, key: string, steps: Step[], signal: AbortSignal): Promise<TurnEnd> {
    if (!this.#bound) {
      this.#bound = true;
      this.#host.emit({ type: "session.bound", nativeId: this.#state.nativeId });
    }
    const split = steps.findIndex((step) => step.kind === "self-turn");
    const mine = split === -1 ? steps : steps.slice(0, split);
    const context: TurnContext = {
      host: this.#host, spec: { ...this.#spec, agents: this.#agents }, agent: this.#agent(input.agent), input, key,
      state: this.#state, model: this.#model, signal,
    };
    const root = new Lane(context, null);
    let end: TurnEnd;
    try {
      end = await playLanes(context, root, mine);
    } catch (thrown) {
      if (!(thrown instanceof Crashed)) throw thrown;
      this.#dead = thrown.message;
      return { outcome: "failed", error: { code: "harness", message: thrown.message } };
    }
    for (const message of root.said) await this.#state.add(message);
    const next = steps[split];
    if (next?.kind === "self-turn" && end.outcome === "completed") this.#later(input, key, steps.slice(split + 1), next.ms);
    return end;
  }

  /** Begins a turn that nobody asked for, after `ms`. */
  #later(input: TurnInput, before: string, steps: Step[], ms: number): void {
    const key = `${before}.self`;
    const pending = new AbortController();
    this.#pending.add(pending);
    void wait(ms, undefined, { signal: pending.signal }).then(
      async () => {
        this.#pending.delete(pending);
        await this.#exclusive(async (signal) => {
          this.#host.emit({ type: "turn.start", key });
          const end = await this.#play(input, key, steps, signal);
          this.#host.emit({ type: "turn.end", key, end });
          return end;
        });
      },
      () => this.#pending.delete(pending),
    );
  }

  #agent(name: string): AgentSpec {
    const agent = this.#agents.agents.find((candidate) => candidate.name === name);
    if (agent === undefined) throw new Error(`the host asked for agent "${name}", which it never named`);
    return agent;
  }
}

/** Plays the steps in order: the root's in its lane, those of a sub-agent in one that is opened on first mention. */
async function playLanes(context: TurnContext, root: Lane, steps: Step[]): Promise<TurnEnd> {
  const children = new Map<string, Lane>();
  const endChild = (child: string, end: TurnEnd): void => {
    children.delete(child);
    context.host.emit({ child, type: "turn.end", key: `${context.key}.${child}`, end });
  };
  try {
    for (const step of steps) {
      if (step.child === null) {
        const end = await root.play(step);
        if (end !== null) {
          for (const [child, lane] of children) endChild(child, lane.stopped());
          return end;
        }
        continue;
      }
      let lane = children.get(step.child);
      if (lane === undefined) {
        lane = new Lane(context, step.child);
        children.set(step.child, lane);
        context.host.emit({ child: step.child, type: "turn.start", key: `${context.key}.${step.child}` });
      }
      const end = step.kind === "done" ? await lane.finish() : await lane.play(step);
      if (end !== null) endChild(step.child, end);
    }
    for (const [child, lane] of children) endChild(child, await lane.finish());
    return await root.finish();
  } catch (thrown) {
    if (!context.signal.aborted) throw thrown;
    for (const [child, lane] of children) endChild(child, lane.stopped());
    return root.stopped();
  }
}
