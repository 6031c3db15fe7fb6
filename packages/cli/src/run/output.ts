import { formatModelRef } from "@beeuni/protocol";
import type { SessionState, StreamEvent } from "@beeuni/transcript";
import type { Io } from "../io.ts";
import { writeJson, writeJsonLine } from "../render/json.ts";
import { TurnPrinter } from "../render/turn-printer.ts";
import { usageLine } from "../render/usage-line.ts";
import type { OutputMode } from "./options.ts";
import type { RunResult } from "./result.ts";

/** What a run shows while it goes on and when it has ended. */
export interface RunOutput {
  event(event: StreamEvent): void;
  end(result: RunResult, session: SessionState): void;
  /** A line for the person at the terminal, on stderr. */
  note(line: string): void;
}

export function runOutput(mode: OutputMode, session: string, io: Io): RunOutput {
  const printer = new TurnPrinter(session, io.stdout, io.stderr);
  const note = (line: string): void => printer.note(line);
  // Where stdout is for programs or for the answer alone, only what is wrong is said, on stderr.
  const warn = (event: StreamEvent): void => {
    if (event.type === "session.notice" && event.session === session && event.level !== "info") printer.event(event);
  };
  switch (mode) {
    case "text":
      return {
        note,
        event: (event) => printer.event(event),
        end: ({ turn, resume }, { info, opened }) => {
          const version = opened?.harnessVersion;
          const elapsed = (turn.endedAt ?? turn.startedAt) - turn.startedAt;
          const harness = version === null || version === undefined ? info.harness : `${info.harness} ${version}`;
          const usage = usageLine({ harness, model: formatModelRef(turn.model), usage: turn.usage ?? null, elapsed }, io.stdout.columns);
          printer.report([io.stdout.colours.dim(usage), `resume: ${resume}`]);
        },
      };
    case "quiet":
      return {
        note,
        event: warn,
        end: ({ answer }) => io.stdout.write(answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`),
      };
    case "json":
      return { note, event: warn, end: (result) => writeJson(io.stdout, result) };
    case "jsonl":
      return { note, event: (event) => writeJsonLine(io.stdout, event), end: () => undefined };
  }
}
