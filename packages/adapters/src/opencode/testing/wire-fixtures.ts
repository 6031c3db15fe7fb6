import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TurnError } from "@beeuni/protocol";
import type { HarnessEvent, TurnEnd } from "@beeuni/harness";
import type { NativeEvent } from "../native-events.ts";
import type { Refusal } from "../tool-calls.ts";
import { toolchain } from "../toolchain.ts";
import { Translator } from "../translate.ts";

/** Where recordings of the pinned version lie: `<case>.jsonl` as OpenCode reported it, `<case>.expected.json` as translated. */
export const FIXTURES = join(fileURLToPath(import.meta.url), `../../../../../../test/fixtures/wire/opencode@${toolchain.version}`);

/** One line of a recording: what OpenCode said, and what the session did to the translator, in order. */
export type Recorded =
  | { root: string }
  | { begin: string }
  | { event: NativeEvent }
  | { allowed: { session: string; call: string } }
  | { refused: { session: string; call: string } & Refusal }
  | { quiet: boolean }
  | { stop: true }
  | { end: { isAborted: boolean; failure: TurnError | null } };

export interface Translated {
  events: HarnessEvent[];
  /** null for a recording that holds no prompt of ours. */
  end: TurnEnd | null;
}

export function translated(recording: readonly Recorded[]): Translated {
  const [first] = recording;
  if (first === undefined || !("root" in first)) throw new Error("a recording begins with its session");
  const translator = new Translator({ root: first.root, model: () => ({ provider: "faux", id: "demo" }) });
  const events: HarnessEvent[] = [];
  let end: TurnEnd | null = null;
  for (const entry of recording) {
    if ("begin" in entry) translator.root.begin(entry.begin);
    else if ("event" in entry) events.push(...translator.translate(entry.event));
    else if ("allowed" in entry) events.push(...translator.allowed(entry.allowed.session, entry.allowed.call));
    else if ("refused" in entry) translator.refused(entry.refused.session, entry.refused.call, { kind: entry.refused.kind, message: entry.refused.message });
    else if ("quiet" in entry) translator.root.isQuiet = entry.quiet;
    else if ("stop" in entry) translator.stop();
    else if ("end" in entry) {
      const ended = translator.endTurn(entry.end.isAborted, entry.end.failure);
      events.push(...ended.events);
      end = ended.end;
    }
  }
  return { events, end };
}

export function fixtureNames(): string[] {
  return readdirSync(FIXTURES).filter((name) => name.endsWith(".jsonl")).map((name) => name.slice(0, -".jsonl".length)).sort();
}

export function readFixture(name: string): { recording: Recorded[]; expected: Translated } {
  const lines = readFileSync(join(FIXTURES, `${name}.jsonl`), "utf8").split("\n").filter((line) => line !== "");
  return {
    recording: lines.map((line) => JSON.parse(line) as Recorded),
    expected: JSON.parse(readFileSync(join(FIXTURES, `${name}.expected.json`), "utf8")) as Translated,
  };
}
