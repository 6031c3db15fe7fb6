import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { createScriptedHarness, type ScriptedHarness, type ScriptedOptions } from "@beeuni/conformance";
import { createGateway, fauxProvider } from "@beeuni/gateway";
import { type Harness, HarnessRegistry } from "@beeuni/harness";
import type { PromptPart, TurnInfo } from "@beeuni/protocol";
import type { StreamEvent } from "@beeuni/transcript";
import { createDaemon, type LocalDaemon } from "../local-daemon.ts";
import type { CheckpointName } from "../session/checkpoints.ts";
import type { OpenSession } from "../session/session-host.ts";
import type { DaemonOptions } from "../types.ts";

export interface BenchOptions extends Partial<Omit<DaemonOptions, "registry" | "gateway" | "onCheckpoint">> {
  /** Path → text of the project's files. */
  files?: { [path: string]: string };
  scripted?: ScriptedOptions;
  /** Registered beside the scripted harness. */
  others?: readonly Harness[];
  /** The ids that selection falls to; default: scripted for both. */
  platform?: { standard: string; experimental: string };
}

/** A project and a home in temporary folders, with the scripted harness; everything is closed and removed with the test. */
export interface Bench {
  home: string;
  directory: string;
  harness: ScriptedHarness;
  daemon: LocalDaemon;
  /** Checkpoints so far, in order. */
  checkpoints: CheckpointName[];
  /** What the daemon logged. */
  logged: string[];
  /** Called at each checkpoint. */
  onCheckpoint: (name: CheckpointName) => void;
  /** Another daemon over the same home and folder, as after a restart. */
  another(options?: BenchOptions): LocalDaemon;
}

export async function openBench(t: TestContext, options: BenchOptions = {}): Promise<Bench> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "beeuni-daemon-")));
  const [home, directory] = [join(root, "home"), join(root, "project")];
  mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const faux = fauxProvider();
  const gateway = await createGateway({ providers: [faux, { ...faux, id: "second", models: [{ ...faux.models[0]!, id: "small" }] }] });
  const harness = createScriptedHarness(options.scripted);
  const daemons: LocalDaemon[] = [];
  const bench: Bench = {
    home, directory, harness, checkpoints: [], logged: [], onCheckpoint: () => {},
    another: (more = {}) => {
      const { files: _files, scripted: _scripted, others = [], platform, ...rest } = { ...options, ...more };
      const registry = new HarnessRegistry(
        platform ?? { standard: harness.id, experimental: harness.id },
        [harness, ...others].map((entry) => ({ id: entry.id, label: entry.label, family: entry.family, load: async () => entry })),
      );
      const daemon = createDaemon({
        flags: async () => ({ llm_gateway: true, pi_harness: false }), headless: false, defaultModel: "faux/demo", closeGrace: 2000,
        commandEnv: { PATH: process.env["PATH"] ?? "" }, home, directory, ...rest, registry, gateway,
        log: (level, message) => bench.logged.push(`${level}: ${message}`),
        onCheckpoint: (name) => {
          bench.checkpoints.push(name);
          bench.onCheckpoint(name);
        },
      });
      daemons.push(daemon);
      return daemon;
    },
    daemon: undefined as never,
  };
  bench.daemon = bench.another();
  t.after(async () => {
    await Promise.all(daemons.map((daemon) => daemon.close()));
    await gateway.close();
    rmSync(root, { recursive: true, force: true });
  });
  return bench;
}

export function text(content: string): PromptPart[] {
  return [{ type: "text", text: content }];
}

/** Runs one prompt to its end. */
export async function turn(session: OpenSession, script: string): Promise<TurnInfo> {
  return await (await session.prompt({ parts: text(script) })).done;
}

/** Resolves with the first event of the session that fits, from now on. */
export async function when<T extends StreamEvent>(session: OpenSession, fits: (event: StreamEvent) => event is T): Promise<T> {
  return await new Promise((resolve) => {
    const leave = session.subscribe((event) => {
      if (!fits(event)) return;
      leave();
      resolve(event);
    });
  });
}

export function ofType<K extends StreamEvent["type"]>(type: K) {
  return (event: StreamEvent): event is Extract<StreamEvent, { type: K }> => event.type === type;
}

/** The conversation in short: `user: …`, `assistant: …`, `bash completed: …`. */
export function conversation(session: Pick<OpenSession, "state">): string[] {
  return session.state().messages.flatMap(({ info, parts }) => parts.map((part) => {
    switch (part.type) {
      case "text": return `${info.role}: ${part.text}`;
      case "reasoning": return `thought: ${part.text}`;
      case "file": return `${info.role} file: ${part.url}`;
      case "tool": {
        const { state } = part;
        if (state.status === "completed") return `${part.tool} completed: ${state.output.trim()}`;
        return state.status === "error" ? `${part.tool} ${state.kind}: ${state.error}` : `${part.tool} ${state.status}`;
      }
    }
  }));
}
