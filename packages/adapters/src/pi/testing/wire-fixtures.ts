import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HarnessEvent, TurnEnd } from "@beeuni/harness";
import type { NativeEvent } from "../native-events.ts";
import { toolchain } from "../toolchain.ts";
import { TurnTranslator } from "../translate.ts";

/** Where recorded events of the pinned version lie: `<case>.jsonl` as the SDK reported them, `<case>.expected.json` as translated. */
export const FIXTURES = join(fileURLToPath(import.meta.url), `../../../../../../test/fixtures/wire/pi@${toolchain.version}`);

export interface RecordedEvent {
  /** Milliseconds after the first. */
  at: number;
  event: NativeEvent;
}

export interface Translated {
  events: HarnessEvent[];
  end: TurnEnd;
}

export function translated(recorded: readonly RecordedEvent[]): Translated {
  const translator = new TurnTranslator("trn_1", { provider: "faux", id: "demo" });
  const events = recorded.flatMap(({ at, event }) => translator.translate(event, 1_000_000 + at));
  return { events, end: translator.end({ isAborted: false, isBeyondSteps: false }) };
}

export function fixtureNames(): string[] {
  return readdirSync(FIXTURES).filter((name) => name.endsWith(".jsonl")).map((name) => name.slice(0, -".jsonl".length)).sort();
}

export function readFixture(name: string): { recorded: RecordedEvent[]; expected: Translated } {
  const lines = readFileSync(join(FIXTURES, `${name}.jsonl`), "utf8").split("\n").filter((line) => line !== "");
  return {
    recorded: lines.map((line) => JSON.parse(line) as RecordedEvent),
    expected: JSON.parse(readFileSync(join(FIXTURES, `${name}.expected.json`), "utf8")) as Translated,
  };
}
