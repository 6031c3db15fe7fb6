import { readFileSync } from "node:fs";
import { type BeeuniClient, createClient } from "@beeuni/sdk";
import { Cli, type CliOptions } from "./cli.ts";
import type { Place } from "./place.ts";

/** `beeuni serve`, a process of its own, with a client of its API. */
export class Server implements AsyncDisposable {
  readonly cli: Cli;
  readonly url: string;
  readonly token: string;
  readonly client: BeeuniClient;

  private constructor(cli: Cli, url: string, token: string) {
    this.cli = cli;
    this.url = url;
    this.token = token;
    this.client = createClient({ url, token });
  }

  static async start(place: Place, words: readonly string[] = [], options: CliOptions = {}): Promise<Server> {
    const cli = new Cli(place, ["serve", "--json", ...words], options);
    await cli.until(({ stdout }) => stdout.endsWith("\n"));
    const { url, tokenFile } = JSON.parse(cli.stdout) as { url: string; tokenFile: string };
    return new Server(cli, url, readFileSync(tokenFile, "utf8").trim());
  }

  get pid(): number {
    return this.cli.process.pid!;
  }

  /** A request of any client. */
  async fetch(path: string, init: { method?: string; body?: unknown } = {}): Promise<{ status: number; body: unknown }> {
    const response = await fetch(this.url + path, {
      method: init.method ?? "GET", headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  /** Stops it as Ctrl-C does. */
  async stop(): Promise<void> {
    this.cli.kill("SIGINT");
    await this.cli.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.cli.process.exitCode === null && this.cli.process.signalCode === null) await this.stop();
  }
}
