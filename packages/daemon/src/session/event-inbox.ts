import type { HarnessEvent } from "@beeuni/harness";

export interface InboxPorts {
  route: (event: HarnessEvent) => void;
  /** The event came too early: it and what follows wait a moment. */
  isEarly: (event: HarnessEvent) => boolean;
}

/**
 * Keeps a harness's events in order over the moment in which a turn's end is written: they wait while a turn closes.
 * An early event (a turn that begins before the end of the one before was seen) waits for that end too; if none is under
 * way when the harness's promise has had its turn, it is routed as it is.
 */
export class EventInbox {
  readonly #ports: InboxPorts;
  readonly #held: HarnessEvent[] = [];
  #holds = 0;
  readonly #waiters: (() => void)[] = [];

  constructor(ports: InboxPorts) {
    this.#ports = ports;
  }

  push(event: HarnessEvent): void {
    this.#held.push(event);
    this.#drain();
  }

  /** Nothing is routed until as many `release`s. */
  hold(): void {
    this.#holds++;
  }

  release(): void {
    this.#holds--;
    this.#drain();
  }

  /** Resolves when every event so far has been routed. */
  async settled(): Promise<void> {
    if (this.#holds > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #drain(isLate = false): void {
    while (this.#holds === 0) {
      const next = this.#held[0];
      if (next === undefined) {
        for (const waiter of this.#waiters.splice(0)) waiter();
        return;
      }
      if (!isLate && this.#ports.isEarly(next)) {
        this.hold();
        setImmediate(() => {
          this.#holds--;
          this.#drain(true);
        });
        return;
      }
      isLate = false;
      this.#held.shift();
      this.#ports.route(next);
    }
  }
}
