import { BeeuniError, type ModelRef, toBeeuniError } from "@beeuni/protocol";
import { type Harness, type HarnessHealth, type HarnessSession, type HostPort, sessionCapabilities, type SessionSpec, type TurnEnd, type TurnInput } from "@beeuni/harness";
import type { ActiveTurn } from "./active-turn.ts";
import type { Binding } from "./binding.ts";
import type { Checkpoint } from "./checkpoints.ts";
import type { ModelAccess } from "./model-access.ts";
import { endedHistory } from "./history.ts";
import type { Journal } from "./journal.ts";

export interface RunnerPorts {
  harness: Harness;
  journal: Journal;
  binding: Binding;
  access: ModelAccess;
  checkpoint: Checkpoint;
  /** What is the same at each opening. */
  spec: Omit<SessionSpec, "endpoint" | "resume" | "history">;
  /** The host's side for one opening; `isCurrent` turns false when that opening is over. */
  hostPort: (isCurrent: () => boolean) => HostPort;
  /** The harness is gone without having been asked to. */
  onGone: (message: string) => void;
  warn: (message: string) => void;
  /** Milliseconds that a harness has to close. */
  closeGrace: number;
}

/**
 * The one open harness of a session: opened in the background, opened again after it died or when a turn needs a model that
 * it was not given, closed for good with the session.
 */
export class HarnessRunner {
  readonly #ports: RunnerPorts;
  #session: HarnessSession | null = null;
  #opening: Promise<HarnessSession> | null = null;
  #error: BeeuniError | null = null;
  #generation = 0;
  #isClosed = false;
  readonly #closings = new Set<Promise<void>>();

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /** The open harness; opens it when it is not. Throws when it can't be opened. */
  async ready(model: ModelRef): Promise<HarnessSession> {
    const { access } = this.#ports;
    if (!access.covers(model)) {
      await this.#opening?.catch(() => {});
      this.#close("another model was asked for");
      await Promise.all(this.#closings);
      await access.add(model);
    }
    if (this.#session !== null) return this.#session;
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return await this.#opening;
  }

  /** Runs a prompt. A stop while the harness is still being opened ends the turn at once. */
  async run(turn: ActiveTurn, parts: TurnInput["parts"]): Promise<TurnEnd> {
    const session = await unlessStopped(this.ready(turn.model), turn.stop.signal);
    if (session === null) return { outcome: "aborted" };
    let end: TurnEnd;
    try {
      end = await session.turn({ turn: turn.id, agent: turn.agent, model: turn.model, parts });
    } catch (thrown) {
      await this.#noticeDeath(session);
      throw thrown;
    }
    if (end.outcome === "failed") await this.#noticeDeath(session);
    return end;
  }

  /** Tells it to stop what runs; it follows in its own time. */
  stop(): void {
    this.#session?.abort().catch((thrown: unknown) => this.#ports.warn(`the stop failed: ${(thrown as Error).message}`));
  }

  /** Lets go of a harness that is of no use any more; the next turn opens a new one. */
  discard(message: string): void {
    this.#error = new BeeuniError("harness_unavailable", `the ${this.#ports.harness.id} harness was closed: ${message}`);
    this.#close(message);
    this.#ports.onGone(message);
  }

  async health(): Promise<HarnessHealth> {
    if (this.#session !== null) {
      return await this.#session.health().catch((thrown: unknown): HarnessHealth => ({ state: "error", error: (thrown as Error).message, details: {} }));
    }
    if (this.#opening !== null) return { state: "starting", error: null, details: {} };
    if (this.#error !== null) return { state: "error", error: this.#error.message, details: {} };
    return { state: this.#isClosed ? "down" : "starting", error: null, details: {} };
  }

  /** What the open session offers; what the harness declares while it is not open. */
  capabilities(): string[] {
    const { harness } = this.#ports;
    return this.#session === null ? [...harness.capabilities] : sessionCapabilities(harness, this.#session);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#close("the session was closed");
    // One that is still being opened closes itself when it is open; it may hang in there.
    await within(this.#ports.closeGrace, this.#opening?.catch(() => {}));
    await Promise.all(this.#closings);
    await this.#ports.access.close();
  }

  async #open(): Promise<HarnessSession> {
    const { harness, journal, binding, access, checkpoint, spec, hostPort } = this.#ports;
    const generation = ++this.#generation;
    let noticed = false;
    const port = hostPort(() => generation === this.#generation);
    const resume = binding.nativeId === null ? null : { nativeId: binding.nativeId };
    const history = endedHistory(journal.state);
    checkpoint("harness-opening");
    try {
      const session = await harness.open({ ...spec, endpoint: access.endpoint(), resume, history }, {
        ...port,
        emit: (event) => {
          if (event.type === "notice" && event.code.startsWith("native_session")) noticed = true;
          port.emit(event);
        },
      });
      if (generation !== this.#generation || this.#isClosed) {
        this.#closeSession(session);
        throw new BeeuniError("aborted", "the session was closed while its harness was opened");
      }
      if (resume !== null && session.nativeId !== resume.nativeId && !noticed) {
        journal.append({
          type: "session.notice", session: journal.session, level: "warning", code: "native_session_lost",
          message: `The ${harness.id} harness did not find its own session ${resume.nativeId}; it was told the conversation as text (${history.length} messages).`,
        });
      }
      this.#error = null;
      return (this.#session = session);
    } catch (thrown) {
      this.#error = startFailure(harness.id, thrown);
      throw this.#error;
    }
  }

  /** After a failed turn: a harness that died is let go of. */
  async #noticeDeath(session: HarnessSession): Promise<void> {
    const health = await session.health().catch((thrown: unknown): HarnessHealth => ({ state: "error", error: (thrown as Error).message, details: {} }));
    if (session === this.#session && (health.state === "down" || health.state === "error")) this.discard(health.error ?? `its state is ${health.state}`);
  }

  #close(why: string): void {
    this.#generation++;
    const session = this.#session;
    this.#session = null;
    if (session !== null) this.#closeSession(session, why);
  }

  #closeSession(session: HarnessSession, why = "the session was closed"): void {
    const { closeGrace, warn, harness } = this.#ports;
    const closing = within(closeGrace, session.close())
      .then((isClosed) => {
        if (!isClosed) warn(`the ${harness.id} harness did not close within ${closeGrace / 1000} s (${why})`);
      })
      .catch((thrown: unknown) => warn(`the ${harness.id} harness failed to close: ${(thrown as Error).message}`))
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }
}

function startFailure(id: string, thrown: unknown): BeeuniError {
  const error = toBeeuniError(thrown);
  if (error.code !== "internal") return error;
  return new BeeuniError("harness_start_failed", `the ${id} harness could not be started: ${error.message}`, { cause: thrown });
}

/** Null when the signal fires first. */
async function unlessStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  let stop: (() => void) | undefined;
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener("abort", stop!);
  }
}

/** Waits for the promise, at most so long; whether it came. */
async function within(milliseconds: number, promise: Promise<unknown> | undefined): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([Promise.resolve(promise).then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
