import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { BeeuniError } from "@beeuni/protocol";
import { ServerApi } from "./server-api.ts";
import { WATCHDOG } from "./watchdog.ts";

export interface ServerSpec {
  binary: string;
  /** Without the port. */
  args: readonly string[];
  /** Complete, without the password. */
  env: { readonly [name: string]: string };
  workspace: string;
  /** Folder of the commands' process groups. */
  groups: string;
  password: string;
  version: string;
  deadlineMs: number;
  tries: number;
  onTrouble: (message: string) => void;
}

const LOG_CHARACTERS = 16_384;
const REPORTED_LINES = 12;
const STOP_MS = 1_500;

/** One `opencode serve` of ours, in a process group of its own. */
export class ServerProcess {
  readonly api: ServerApi;
  readonly port: number;
  /** Resolves with how it ended, in words; never rejects. */
  readonly ended: Promise<string>;
  #end: string | null = null;
  #log = "";
  readonly #child: ChildProcess;

  private constructor(spec: ServerSpec, port: number) {
    this.port = port;
    this.api = new ServerApi(`http://127.0.0.1:${port}`, spec.password, spec.workspace);
    this.#child = spawn("/bin/sh", ["-c", WATCHDOG, "opencode-watchdog", spec.groups, spec.binary, ...spec.args, "--port", String(port)], {
      cwd: spec.workspace, env: { ...spec.env, OPENCODE_SERVER_PASSWORD: spec.password }, detached: true, stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stdin?.on("error", () => {});
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => { this.#log = (this.#log + text).slice(-LOG_CHARACTERS); });
    }
    this.ended = this.#watch();
  }

  /** Starts it and waits until it answers. Throws `harness_start_failed` with the tail of its log. */
  static async start(spec: ServerSpec): Promise<ServerProcess> {
    for (let attempt = 1; ; attempt++) {
      const server = new ServerProcess(spec, await freePort());
      const failure = await server.#ready(spec);
      if (failure === null) return server;
      const log = server.logTail();
      await server.stop();
      if (attempt === spec.tries || failure.isFinal) {
        const times = attempt === 1 ? "" : ` (tried ${attempt} times)`;
        throw new BeeuniError("harness_start_failed", `OpenCode did not start${times}: ${failure.message}${log === "" ? "" : `\n${log}`}`, { hint: failure.hint });
      }
      spec.onTrouble(`OpenCode did not start (${failure.message}); trying again`);
    }
  }

  get isRunning(): boolean {
    return this.#end === null;
  }

  /** How it ended; null while it runs. */
  get end(): string | null {
    return this.#end;
  }

  /** The last lines of its output, indented. */
  logTail(): string {
    return this.#log.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "").slice(-REPORTED_LINES).map((line) => `  ${line.slice(0, 400)}`).join("\n");
  }

  /** Ends it with everything in its group. Resolves when it is gone. */
  async stop(): Promise<void> {
    await this.api.close();
    const pid = this.#child.pid;
    if (pid !== undefined && this.#end === null) {
      signalGroup(pid, "SIGTERM");
      const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), STOP_MS);
      await this.ended;
      clearTimeout(timer);
    }
    // The guard of the group ends with the pipe; whatever else is in the group ends here.
    this.#child.stdin?.destroy();
    if (pid !== undefined) signalGroup(pid, "SIGKILL");
  }

  async #watch(): Promise<string> {
    try {
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null];
      // The shell reports a signal of its child as 128 and its number.
      this.#end = signal !== null ? `it was ended by ${signal}` : code !== null && code > 128 ? `it was ended by signal ${code - 128}` : `it ended with exit code ${code}`;
    } catch (thrown) {
      this.#end = `it can't be run: ${(thrown as Error).message}`;
    }
    return this.#end;
  }

  async #ready(spec: ServerSpec): Promise<{ message: string; hint: string; isFinal: boolean } | null> {
    const end = performance.now() + spec.deadlineMs;
    // A first connection can stay unanswered for ever: each probe has a short limit of its own.
    for (let patience = 250; performance.now() < end; patience = Math.min(2 * patience, 2_000)) {
      const version = await Promise.race([probe(this.api, patience), this.ended.then(() => null)]);
      if (this.#end !== null) {
        return { message: this.#end, hint: "the lines above are its own; `beeuni harness install opencode` installs it anew", isFinal: false };
      }
      if (version === spec.version) return null;
      if (version !== null) {
        return { message: `it says that it is version ${version}, not ${spec.version}`, hint: "run `beeuni harness install opencode` to install the pinned version", isFinal: true };
      }
      await sleep(25);
    }
    return { message: `it did not answer within ${spec.deadlineMs / 1000} s`, hint: "the machine may be busy: try again", isFinal: false };
  }
}

/** Its version, or null when it does not answer in time. */
async function probe(api: ServerApi, patience: number): Promise<string | null> {
  try {
    const { version } = await api.get<{ version?: unknown }>("/global/health", { signal: AbortSignal.timeout(patience) });
    return typeof version === "string" ? version : "unknown";
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It is gone.
  }
}
