import { BeeuniError, type ModelRef, newId, type TurnInfo, toBeeuniError } from "@beeuni/protocol";
import type { HarnessEvent, TurnEnd, TurnInput } from "@beeuni/harness";
import { type ActiveTurn, newActiveTurn } from "./active-turn.ts";
import type { Checkpoint } from "./checkpoints.ts";
import { type EndPorts, endTurn } from "./end-turn.ts";
import { EventInbox } from "./event-inbox.ts";
import { neverStarted } from "./never-started.ts";
import { TurnEnds } from "./turn-ends.ts";

export interface QueuedPrompt {
  message: string;
  turn: string;
  agent: string;
  model: ModelRef;
  parts: TurnInput["parts"];
}

export interface TurnPorts extends EndPorts {
  checkpoint: Checkpoint;
  harness: string;
  /** Runs a prompt on the harness. May throw: the turn then fails. */
  run: (turn: ActiveTurn, parts: TurnInput["parts"]) => Promise<TurnEnd>;
  /** Tells the harness to stop what runs. */
  stop: () => void;
  /** The harness did not stop in time, or died: the next prompt needs a new one. */
  discard: (reason: string) => void;
  warn: (message: string) => void;
  /** Milliseconds that a harness has to follow a stop. */
  abortGrace: number;
}

/**
 * The turns of a session, one at a time. A prompt waits for the turn before it; so does one while the harness runs a turn
 * that it began by itself. Stopping ends what runs; prompts that wait are kept and run next.
 */
export class Turns {
  readonly #ports: TurnPorts;
  readonly #waiting: QueuedPrompt[] = [];
  /** Turns of the root session that have not ended; the last one is what the harness is at. */
  readonly #active: ActiveTurn[] = [];
  /** Turns of sub-agents, by the harness's key of their session. They run beside the root's. */
  readonly #children = new Map<string, ActiveTurn>();
  readonly #ends = new TurnEnds();
  readonly inbox: EventInbox;
  #isClosed = false;

  constructor(ports: TurnPorts) {
    this.#ports = ports;
    this.inbox = new EventInbox({ route: (event) => this.#route(event), isEarly: (event) => this.#isEarly(event) });
  }

  /** The turn that a call or an event of the given sub-agent (of the root when undefined) belongs to. */
  turnOf(child: string | undefined): ActiveTurn | undefined {
    const own = child === undefined ? undefined : this.#children.get(child);
    return own ?? this.#active.at(-1);
  }

  /** The accepted prompt runs when its time has come. */
  enqueue(prompt: QueuedPrompt): void {
    if (this.#isClosed) return this.#ends.reject(prompt.turn, new BeeuniError("aborted", "the session was closed before the turn began"));
    this.#waiting.push(prompt);
    if (this.#active.length > 0) this.#ports.checkpoint("queued-second-prompt");
    this.#pump();
  }

  /** Resolves when the turn's end is on the disk. */
  ended(turn: string): Promise<TurnInfo> {
    const info = this.#infoOf(turn);
    return info?.endedAt === undefined ? this.#ends.of(turn) : Promise.resolve(info);
  }

  /** Asks what runs to stop; false when nothing runs. Requests are rejected and the wish is in the log at once. */
  abort(): boolean {
    const { journal, closeRequests, stop } = this.#ports;
    const running = [...this.#active, ...this.#children.values()].filter((turn) => !turn.isClosing);
    if (running.length === 0) return false;
    const fresh = running.filter((turn) => !turn.stop.signal.aborted);
    if (fresh.length === 0) return true;
    journal.append(...fresh.map(({ session, id }) => ({ type: "turn.aborting" as const, session, turn: id })));
    for (const turn of fresh) turn.stop.abort();
    closeRequests();
    stop();
    for (const turn of fresh) this.#giveGrace(turn);
    return true;
  }

  /** The harness is gone: the turns that it began by itself get no other end. */
  harnessGone(message: string): void {
    for (const turn of [...this.#active, ...this.#children.values()]) {
      if (turn.key === undefined) continue;
      this.#forgetChild(turn);
      void this.#close(turn, { outcome: "failed", error: { code: "harness", message } });
    }
  }

  /** Stops what runs, waits for it, and closes the prompts that wait as interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.abort();
    await Promise.all([...this.#active, ...this.#children.values()].map((turn) => turn.over.promise));
    const { journal, trace, harness } = this.#ports;
    for (const { turn, message, agent, model } of this.#waiting.splice(0)) {
      journal.append(...neverStarted({ session: journal.session, turn, prompt: message, agent, model, harness, nextCall: trace.nextNumber }));
    }
    this.fail(new BeeuniError("aborted", "the session was closed before the turn began", { hint: "open the session again and repeat the prompt" }));
  }

  /** Nothing can be written any more: every promise of an end rejects. */
  fail(error: BeeuniError): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    for (const turn of [...this.#active, ...this.#children.values()]) turn.stop.abort();
    this.#ends.rejectAll(error);
  }

  #pump(): void {
    if (this.#active.length > 0 || this.#isClosed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#runPrompt(next);
  }

  async #runPrompt(prompt: QueuedPrompt): Promise<void> {
    const { journal, checkpoint, run } = this.#ports;
    const turn = newActiveTurn({ id: prompt.turn, session: journal.session, origin: "user", prompt: prompt.message, agent: prompt.agent, model: prompt.model });
    this.#begin(turn);
    let end: TurnEnd;
    try {
      await journal.flushed();
      checkpoint("turn-started");
      end = await run(turn, prompt.parts);
    } catch (thrown) {
      end = failureOf(thrown);
    }
    await this.#close(turn, end);
  }

  #begin(turn: ActiveTurn): void {
    if (turn.session === this.#ports.journal.session) this.#active.push(turn);
    this.#writeStart(turn);
  }

  #writeStart(turn: ActiveTurn): void {
    const { journal, trace, harness } = this.#ports;
    journal.append({
      type: "turn.started", session: turn.session, turn: turn.id, origin: turn.origin, agent: turn.agent, model: turn.model, harness,
      callsFrom: trace.nextNumber, ...(turn.prompt === undefined ? {} : { prompt: turn.prompt }),
    });
  }

  /** Ends what the turn left open, and the turn, on the disk. Events that come meanwhile wait. */
  async #close(turn: ActiveTurn, end: TurnEnd): Promise<void> {
    if (turn.isClosing) return;
    turn.isClosing = true;
    const { journal, checkpoint } = this.#ports;
    const isRoot = turn.session === journal.session;
    if (isRoot) this.inbox.hold();
    checkpoint("turn-ending");
    try {
      await endTurn(this.#ports, turn, end);
      checkpoint("turn-ended");
      const info = this.#infoOf(turn.id);
      if (info !== undefined) this.#ends.resolve(info);
    } catch (thrown) {
      this.#ends.reject(turn.id, thrown);
    }
    turn.over.resolve();
    if (!isRoot) return;
    this.#active.splice(this.#active.indexOf(turn), 1);
    // A harness began this turn inside of another, which goes on: that one is what the session is busy with again.
    const outer = this.#active.at(-1);
    if (outer !== undefined && !outer.isClosing) this.#writeStart(outer);
    this.inbox.release();
    this.#pump();
  }

  #route(event: HarnessEvent): void {
    const { translator, warn } = this.#ports;
    if (event.type === "turn.start") return this.#harnessBegins(event);
    if (event.type === "turn.end") {
      const turn = event.child === undefined ? this.#active.find(({ key }) => key === event.key) : this.#children.get(event.child);
      if (turn === undefined) return warn(`the turn ${event.key} ended and never began`);
      if (event.child !== undefined) this.#children.delete(event.child);
      void this.#close(turn, event.end);
      return;
    }
    if (event.type !== "session.bound") translator.handle(event, this.turnOf(event.child));
  }

  #harnessBegins({ key, child }: Extract<HarnessEvent, { type: "turn.start" }>): void {
    const { journal, translator } = this.#ports;
    // It runs as whoever ran last: the harness was told no other agent and no other model.
    const last = this.#active.at(-1) ?? journal.state.turns.at(-1) ?? journal.state.info;
    const session = child === undefined ? journal.session : translator.sessionOf({ child });
    const turn = newActiveTurn({ id: newId("trn"), session, origin: "harness", key, agent: last.agent, model: last.model });
    if (child !== undefined) this.#children.set(child, turn);
    this.#begin(turn);
    if (this.#isClosed) turn.stop.abort();
  }

  /** A turn that begins while another one has not ended: most likely that one's end is just being reported. */
  #isEarly(event: HarnessEvent): boolean {
    return event.type === "turn.start" && event.child === undefined && this.#active.length > 0;
  }

  /** A harness that does not follow a stop loses the turn, and its process with it. */
  #giveGrace(turn: ActiveTurn): void {
    const { abortGrace, discard } = this.#ports;
    const timer = setTimeout(() => {
      if (turn.isClosing) return;
      this.#forgetChild(turn);
      discard(`it did not stop within ${abortGrace / 1000} s`);
      void this.#close(turn, { outcome: "aborted" });
    }, abortGrace);
    void turn.over.promise.then(() => clearTimeout(timer));
  }

  #forgetChild(turn: ActiveTurn): void {
    for (const [child, active] of this.#children) if (active === turn) this.#children.delete(child);
  }

  #infoOf(turn: string): TurnInfo | undefined {
    return this.#ports.journal.state.turns.findLast(({ id }) => id === turn);
  }
}

function failureOf(thrown: unknown): TurnEnd {
  const { code, message, hint } = toBeeuniError(thrown);
  return { outcome: "failed", error: { code: code === "internal" ? "harness" : code, message: hint === undefined ? message : `${message} (${hint})` } };
}
