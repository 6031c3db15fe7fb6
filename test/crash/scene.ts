import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { PROJECT, type TurnScript } from "./script.ts";
import type { Fault, Order } from "./serve-project.ts";
import type { KillState } from "./states.ts";

export interface SceneOptions {
  harness: string;
  script: TurnScript;
  /** Folder of the harness's installed toolchain, where it needs one. */
  toolchain?: string;
}

/** A project and a home of their own, and the mark by which their processes are known. */
export class Scene implements Disposable {
  readonly home: string;
  readonly directory: string;
  readonly script: TurnScript;
  readonly mark: { [name: string]: string } = { BEEUNI_CRASH_TEST: randomUUID() };
  readonly #root: string;
  readonly #harness: string;

  constructor({ harness, script, toolchain }: SceneOptions) {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-crash-")));
    this.#harness = harness;
    this.script = script;
    this.home = join(this.#root, "home");
    this.directory = join(this.#root, "project");
    for (const [path, text] of Object.entries(PROJECT)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      writeFileSync(join(this.directory, path), text);
    }
    if (toolchain === undefined) return;
    mkdirSync(join(this.home, "harnesses"), { recursive: true });
    symlinkSync(toolchain, join(this.home, "harnesses", basename(toolchain)));
  }

  order(state: KillState | null, fault?: Fault): Order {
    const { PATH = "" } = process.env;
    return { home: this.home, directory: this.directory, harness: this.#harness, state, fault, commandEnv: { PATH, HOME: this.#root, ...this.mark } };
  }

  /** `NAME=value`, as it stands in an environment. */
  get markText(): string {
    return Object.entries(this.mark).map(([name, value]) => `${name}=${value}`).join("");
  }

  /** What the command of the turn has done so far: a line for each time that it ran. */
  runs(): number {
    try {
      return readFileSync(join(this.directory, "marker"), "utf8").split("\n").filter((line) => line !== "").length;
    } catch {
      return 0;
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
