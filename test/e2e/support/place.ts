import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A project folder and a home of their own, removed at the end of the scope. */
export class Place {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-e2e-")));
  readonly project = join(this.root, "project");
  /** `$BEEUNI_HOME`. */
  readonly home = join(this.root, "home");

  /** `files`: path in the project → content. */
  constructor(files: { readonly [path: string]: string | Uint8Array } = {}) {
    mkdirSync(this.project);
    mkdirSync(this.home, { mode: 0o700 });
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  /** Writes a file of the project, folders included. */
  write(path: string, content: string | Uint8Array): void {
    const file = join(this.project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Writes the host's configuration: providers by id. */
  configure(providers: { readonly [id: string]: object }): void {
    const file = join(this.home, "config.json5");
    writeFileSync(file, JSON.stringify({ models: { providers } }));
    chmodSync(file, 0o600);
  }

  session(id: string): string {
    return join(this.home, "sessions", id);
  }

  /** The whole environment of a `beeuni` process here; nothing of the tester's own gets in. */
  environment(more: { readonly [name: string]: string } = {}): { [name: string]: string } {
    return {
      PATH: process.env["PATH"] ?? "", HOME: this.root, TMPDIR: this.root, LANG: "C.UTF-8", BEEUNI_HOME: this.home, BEEUNI_TOOLCHAINS: toolchains(),
      ...(process.env["NODE_COMPILE_CACHE"] === undefined ? {} : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }), ...more,
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Where the harnesses are installed that these tests drive. */
export function toolchains(): string {
  return process.env["BEEUNI_TOOLCHAINS"] ?? join(process.env["BEEUNI_HOME"] ?? join(homedir(), ".beeuni"), "harnesses");
}

/** A project's files: its manifest, and an agent file per agent (front matter and body). */
export function projectFiles(agents: { readonly [name: string]: string }, manifest = ""): { [path: string]: string } {
  const names = Object.keys(agents);
  return {
    "beeuni.yaml": `beeuni_version: 2\ndefault_agent: ${names[0]}\nruntime: pi\nagents:\n${names.map((name) => `  ${name}: {}\n`).join("")}${manifest}`,
    ...Object.fromEntries(names.map((name) => [`agents/${name}.md`, agents[name]!])),
  };
}
