import { writeSync } from "node:fs";
import type { KillState } from "./states.ts";

/** What the child tells, one JSON line each, on its file descriptor 3. Written synchronously: a death loses none of it. */
export type Report =
  | { type: "ready"; url: string; gateway: string; token: string }
  /** The named state is reached; the next thing is the death. */
  | { type: "reached"; state: string }
  /** The gateway acknowledged the end of a call to its client. Digest of the response's bytes so far. */
  | { type: "call"; number: number; end: string; sha256: string };

export function report(line: Report): void {
  writeSync(3, `${JSON.stringify(line)}\n`);
}

/** Told of every moment that a state may name; kills this very process, with SIGKILL, when the wanted one has come. */
export class Doom {
  readonly #state: KillState | null;
  #times = 0;

  constructor(state: KillState | null) {
    this.#state = state;
  }

  /** `text`: what is under way there, for states that name a part of it. Does not return when it is time. */
  reach(moment: string, text = ""): void {
    const state = this.#state;
    if (state === null || moment !== state.on || (state.with !== undefined && !text.includes(state.with))) return;
    this.#times += 1;
    if (this.#times !== (state.nth ?? 1)) return;
    report({ type: "reached", state: state.name });
    process.kill(process.pid, "SIGKILL");
    // The signal comes before the call above returns; should it not, nothing more may happen.
    for (;;);
  }
}
