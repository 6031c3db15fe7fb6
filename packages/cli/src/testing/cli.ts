import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ENTRY = fileURLToPath(new URL("../../bin/beeuni.mjs", import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  cwd?: string;
  env?: { [name: string]: string };
  stdin?: string | Uint8Array;
}

/** A home and a workspace of its own, and the real binary run in them. */
export class CliPlace {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-cli-")));
  readonly home = join(this.root, "home");
  readonly work = join(this.root, "work");

  constructor() {
    mkdirSync(this.work);
  }

  /** Starts the command; its environment is this and nothing else. */
  start(words: readonly string[], { cwd = this.work, env = {} }: CliOptions = {}): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [ENTRY, ...words], {
      cwd,
      env: {
        PATH: process.env["PATH"] ?? "", HOME: this.root, LANG: "C.UTF-8", BEEUNI_HOME: this.home, BEEUNI_TOOLCHAINS: toolchains(),
        ...(process.env["NODE_COMPILE_CACHE"] === undefined ? {} : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }),
        ...env,
      },
    });
  }

  /** Runs the command to its end. */
  run(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const child = this.start(words, options);
    child.stdin.on("error", () => undefined).end(options.stdin ?? "");
    return finished(child);
  }

  /** The same, for a command that must succeed: its stdout as JSON. */
  async json<T = never>(words: readonly string[], options: CliOptions = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run([...words, "--json"], options);
    if (code !== 0) throw new Error(`beeuni ${words.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function finished(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }));
  });
}

/** Resolves when the stream has shown the text; rejects with what came instead when it ends before. */
export function shows(stream: NodeJS.ReadableStream, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      seen += chunk.toString();
      if (!seen.includes(text)) return;
      stream.off("data", look);
      resolve();
    };
    stream.on("data", look);
    stream.on("end", () => reject(new Error(`ended without ${JSON.stringify(text)}: ${seen}`)));
  });
}

/** Where the harnesses of the tests are installed: the user's own, never the test's empty home. */
function toolchains(): string {
  return process.env["BEEUNI_TOOLCHAINS"] ?? join(process.env["BEEUNI_HOME"] ?? join(homedir(), ".beeuni"), "harnesses");
}
