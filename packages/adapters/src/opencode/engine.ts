import { BeeuniError, type AgentSet } from "@beeuni/protocol";
import type { HostPort, SessionSpec } from "@beeuni/harness";
import { Bridge, type BridgeHandlers } from "./bridge.ts";
import { CommandGroups } from "./command-groups.ts";
import { EventStream } from "./event-stream.ts";
import { layOut, startServer, writeFiles, type Layout } from "./launch.ts";
import { defaultModel, nativeAgent } from "./names.ts";
import { openNativeSession, type OpenedSession } from "./native-session.ts";
import type { NativeEvent } from "./native-events.ts";
import type { OpenCodeOptions } from "./options.ts";
import type { ServerProcess } from "./process.ts";
import type { ServerApi } from "./server-api.ts";
import { Waiter } from "./waiter.ts";

export interface EngineHandlers extends Omit<BridgeHandlers, "hello"> {
  onEvent: (event: NativeEvent) => void;
  /** Events were lost. */
  onGap: () => void;
}

/** OpenCode for one session of ours, and what connects us with it: its files, its process, the plugin's bridge, its events. */
export class Engine {
  readonly layout: Layout;
  readonly groups: CommandGroups;
  /** Told when something has happened, for whoever waits. */
  readonly news = new Waiter();
  password = "";
  /** Process id of OpenCode itself, as its plugin told it. */
  pid: number | null = null;
  readonly #spec: SessionSpec;
  readonly #host: HostPort;
  readonly #options: OpenCodeOptions;
  #bridge: Bridge | null = null;
  #server: ServerProcess | null = null;
  #stream: EventStream | null = null;
  /** How often the plugin was loaded. */
  #hellos = 0;

  private constructor(spec: SessionSpec, host: HostPort, options: OpenCodeOptions, layout: Layout) {
    this.#spec = spec;
    this.#host = host;
    this.#options = options;
    this.layout = layout;
    this.groups = new CommandGroups(layout.groups);
  }

  /** Starts everything, and finds or makes OpenCode's own session. Throws a BeeuniError, and leaves nothing behind then. */
  static async open(spec: SessionSpec, host: HostPort, options: OpenCodeOptions, handlers: EngineHandlers): Promise<{ engine: Engine; session: OpenedSession }> {
    const engine = new Engine(spec, host, options, await layOut(spec));
    try {
      return { engine, session: await engine.#start(handlers) };
    } catch (thrown) {
      await engine.close();
      throw thrown;
    }
  }

  get api(): ServerApi {
    return this.#running.api;
  }

  get port(): number {
    return this.#running.port;
  }

  get isRunning(): boolean {
    return this.#server?.isRunning === true;
  }

  /** Resolves when OpenCode has ended, with how. */
  get ended(): Promise<string> {
    return this.#running.ended;
  }

  /** How it ended, with the last it said; null while it runs. */
  get obituary(): string | null {
    const { end } = this.#running;
    if (end === null) return null;
    const log = this.#running.logTail();
    return `OpenCode is gone: ${end}${log === "" ? "" : `\n${log}`}`;
  }

  /** Has OpenCode read a new configuration. Between turns only. */
  async refresh(agents: AgentSet): Promise<void> {
    await writeFiles(this.layout, this.#spec, agents, this.#bridge!);
    const before = this.#hellos;
    await this.api.post("/instance/dispose");
    await this.api.get("/session/status");
    await this.#hello(before);
  }

  /** Ends OpenCode, whatever it does. */
  async kill(): Promise<void> {
    await this.#server?.stop();
  }

  async close(): Promise<void> {
    // Commands first: with OpenCode gone nobody would know them.
    await this.groups.killAll();
    await this.#stream?.close();
    await this.#server?.stop();
    await this.groups.killAll();
    await this.#bridge?.close();
    this.news.tell();
  }

  get #running(): ServerProcess {
    if (this.#server === null) throw new Error("OpenCode has not been started");
    return this.#server;
  }

  async #start({ onEvent, onGap, authorize, runTool }: EngineHandlers): Promise<OpenedSession> {
    const [spec, host, options, layout] = [this.#spec, this.#host, this.#options, this.layout];
    this.#bridge = await Bridge.open({ authorize, runTool, hello: ({ pid }) => this.#heard(pid) });
    await writeFiles(layout, spec, spec.agents, this.#bridge);
    const { server, password } = await startServer(layout, spec, options, host);
    [this.#server, this.password] = [server, password];
    void server.ended.then(() => this.news.tell());
    const session = await openNativeSession({
      api: server.api, host, resume: spec.resume, history: spec.history, title: options.titles ? undefined : `beeuni ${spec.session}`,
      author: { agent: nativeAgent(spec.agents.default), wireId: defaultModel(spec.agents, spec.endpoint).wireId, workspace: layout.workspace },
    });
    await this.#hello(0);
    this.#stream = await EventStream.open({
      api: server.api, silenceMs: options.silenceMs, onReconnect: onGap, onTrouble: (message) => host.log("warning", message),
      onEvent: (event) => {
        onEvent(event);
        this.news.tell();
      },
    });
    return session;
  }

  #heard(pid: number): void {
    this.#hellos++;
    this.pid = pid;
    this.news.tell();
  }

  /** Without the plugin nobody would ask the host: a start without it is none. */
  async #hello(before: number): Promise<void> {
    await this.news.until(() => this.#hellos > before || !this.isRunning, this.#options.helloMs);
    if (this.#hellos > before) return;
    throw new BeeuniError("harness_start_failed", `OpenCode did not load beeuni's plugin, without which its tool calls would be nobody's decision\n${this.#running.logTail()}`, {
      hint: "the lines above are its own; report this with them",
    });
  }
}
