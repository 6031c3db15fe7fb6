import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type BeeuniClient, createClient } from "@beeuni/sdk";
import type { Report } from "./doom.ts";
import { type Order, type Served, serveProject } from "./serve-project.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
/** Far more than a life takes, also on a busy machine. */
const PATIENCE_MS = 60_000;

export type EndedCall = Extract<Report, { type: "call" }>;
type Ready = Extract<Report, { type: "ready" }>;

/** A daemon that serves, and how to reach it. */
export interface Life {
  client: BeeuniClient;
  /** Where it listens. */
  ports: number[];
  /** Closes it in order. Answers what went wrong. */
  close(): Promise<string[]>;
}

/** A daemon in this process. */
export async function beginHere(order: Order): Promise<Life> {
  const served = await serveProject(order);
  return { ...reach(served), close: async () => (await served.close(), []) };
}

/** A daemon in a process of its own, which is the leader of its own group. `mark` goes into its environment. */
export async function beginApart(order: Order, mark: { [name: string]: string }): Promise<Life & { process: DaemonProcess }> {
  const child = new DaemonProcess(order, mark);
  return {
    ...reach(await child.ready), process: child,
    async close() {
      const end = await child.stop();
      return [...(end === 0 ? [] : [`the daemon ended with ${end}`]), ...(child.stderr === "" ? [] : [`the daemon said: ${child.stderr}`])];
    },
  };
}

function reach({ url, token, gateway }: Omit<Served, "close">): Pick<Life, "client" | "ports"> {
  return { client: createClient({ url, token }), ports: [url, gateway].map((address) => Number(new URL(address).port)) };
}

export class DaemonProcess {
  /** Ends of calls that the gateway acknowledged. */
  readonly calls: EndedCall[] = [];
  /** The state at which it killed itself. */
  reached: string | null = null;
  stderr = "";
  readonly ready: Promise<Ready>;
  /** Its exit code or signal, once it is gone and everything that it told is read. */
  readonly end: Promise<NodeJS.Signals | number>;
  readonly #child: ChildProcess;

  constructor(order: Order, mark: { [name: string]: string }) {
    const env = { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: compileCache(), ...mark };
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { detached: true, env, stdio: ["ignore", "ignore", "pipe", "pipe"] });
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    const { promise, resolve, reject } = Promise.withResolvers<Ready>();
    this.ready = promise;
    const reports = createInterface(this.#child.stdio[3] as Readable).on("line", (line) => {
      const told = JSON.parse(line) as Report;
      if (told.type === "ready") resolve(told);
      else if (told.type === "reached") this.reached = told.state;
      else this.calls.push(told);
    });
    this.end = Promise.all([once(this.#child, "exit"), once(reports, "close")]).then(([[code, signal]]) => (signal ?? code) as NodeJS.Signals | number);
    void this.end.then((end) => reject(new Error(`the daemon ended (${end}) before it served:\n${this.stderr}`)));
  }

  /** Waits for its end; kills it when that does not come. */
  async over(): Promise<NodeJS.Signals | number> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    const end = await this.end;
    clearTimeout(timer);
    return end;
  }

  async stop(): Promise<NodeJS.Signals | number> {
    this.#child.kill("SIGTERM");
    return await this.over();
  }
}

let ownCache: string | undefined;

/** Where processes of this run keep what they compiled: the first ones compile for all. */
function compileCache(): string {
  const given = process.env["NODE_COMPILE_CACHE"];
  if (given !== undefined) return given;
  if (ownCache === undefined) {
    const folder = (ownCache = mkdtempSync(join(tmpdir(), "beeuni-compiled-")));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
  return ownCache;
}
