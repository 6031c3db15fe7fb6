import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { ModelEndpoint } from "@beeuni/protocol";
import type { Harness, HarnessSession, SessionSpec, TurnEnd, TurnInput } from "@beeuni/harness";
import { checkEvents } from "./check-events.ts";
import type { PromptDialect } from "./dialects.ts";
import { RecordingHost } from "./recorder.ts";
import type { HostBehaviour } from "./recorder.ts";
import { endpointAt, makeFolders, prompt, sessionSpec } from "./specs.ts";
import type { Folders } from "./specs.ts";
import { Wire } from "./wire.ts";

/** The model server that the prompts are written for. `url` has no version segment and no slash at the end. */
export interface ModelServer { url: string; close(): Promise<void> }

export interface KitOptions {
  harness: Harness;
  prompts: PromptDialect;
  /** Absent for a harness that asks no model. */
  model?: () => Promise<ModelServer>;
  /** Folder of the installed toolchain; default: none is needed. */
  toolchainDir?: string;
  /** How long anything may take. Milliseconds, default 20,000. */
  patience?: number;
}

/** An open session under test. */
export interface Opened { session: HarnessSession; host: RecordingHost; spec: SessionSpec }

/** What a test of the suite works with: opens sessions of the harness, runs prompts, watches host and wire, cleans up. */
export class Kit {
  readonly harness: Harness;
  readonly prompts: PromptDialect;
  readonly patience: number;
  readonly folders: Folders;
  readonly #wire: Wire | null;
  readonly #model: ModelServer | null;
  readonly #toolchainDir: string;
  readonly #opened: Opened[] = [];

  private constructor(options: KitOptions, folders: Folders, model: ModelServer | null, wire: Wire | null) {
    this.harness = options.harness;
    this.prompts = options.prompts;
    this.patience = options.patience ?? 20_000;
    this.folders = folders;
    this.#model = model;
    this.#wire = wire;
    this.#toolchainDir = options.toolchainDir ?? "";
  }

  static async start(options: KitOptions): Promise<Kit> {
    const folders = await makeFolders();
    const model = await options.model?.() ?? null;
    return new Kit(options, folders, model, model === null ? null : await Wire.start(model.url));
  }

  /** Whether the harness asks a model that the suite sees. */
  get hasWire(): boolean {
    return this.#wire !== null;
  }

  /** The model requests. Fails where there are none to see. */
  get wire(): Wire {
    return this.#wire ?? assert.fail("this cell is proven on model requests: describeHarness needs `model`");
  }

  get endpoint(): ModelEndpoint {
    return endpointAt(this.#wire?.root ?? "http://127.0.0.1:9/s/none");
  }

  async open(patch: Partial<SessionSpec> = {}, behaviour: Partial<HostBehaviour> = {}): Promise<Opened> {
    const host = new RecordingHost(behaviour);
    const spec = sessionSpec(this.folders, { endpoint: this.endpoint, toolchainDir: this.#toolchainDir, ...patch });
    const session = await this.within("the harness opens", this.harness.open(spec, host));
    const opened = { session, host, spec };
    this.#opened.push(opened);
    return opened;
  }

  /** Runs a prompt to its end, and checks that its events are well-formed. */
  async turn({ session, host }: Opened, text: string, patch: Partial<TurnInput> = {}): Promise<TurnEnd> {
    const end = await this.within("the turn ends", session.turn(prompt(text, patch)));
    assert.deepEqual(checkEvents(host.events), [], "the events of the turn are not well-formed");
    return end;
  }

  /** Runs a prompt that must succeed. */
  async completed(opened: Opened, text: string, patch: Partial<TurnInput> = {}): Promise<void> {
    assert.deepEqual(await this.turn(opened, text, patch), { outcome: "completed" });
  }

  /** Everything that the harness shows of its memory: what it answers, and what it sends to the model. */
  async memory(opened: Opened): Promise<string> {
    const [texts, requests] = [opened.host.texts().length, this.#wire?.exchanges.length ?? 0];
    await this.completed(opened, this.prompts.recall());
    return [...opened.host.texts().slice(texts), ...(this.#wire?.exchanges.slice(requests).map(({ body }) => body) ?? [])].join("\n");
  }

  async within<T>(what: string, promise: Promise<T>, ms = this.patience): Promise<T> {
    const timer = new AbortController();
    const late = wait(ms, undefined, { signal: timer.signal }).then(() => assert.fail(`after ${ms} ms still waiting: ${what}`));
    late.catch(() => {});
    try {
      return await Promise.race([promise, late]);
    } finally {
      timer.abort();
    }
  }

  async dispose(): Promise<void> {
    for (const { session } of this.#opened) await this.within("the session closes", session.close()).catch(() => {});
    await this.#wire?.close();
    await this.#model?.close();
    await this.folders.dispose();
  }
}
