import type { BeeuniClient } from "@beeuni/sdk";
import { foldItem } from "@beeuni/sdk";
import { EMPTY_TREE, type LogEvent, type StreamEvent, type TreeState } from "@beeuni/transcript";
import { setTimeout as wait } from "node:timers/promises";

/** What a client of the event stream knows; it outlives the daemons that it was connected to. */
export class Watching {
  /** Every event that came with an id. */
  readonly seen: LogEvent[] = [];
  cursor: string | undefined;
  tree: TreeState = EMPTY_TREE;
}

export interface PersonOptions {
  session: string;
  watching: Watching;
  /** `stops`: answers a question by stopping the turn. `queues`: has `onBusy` called once text streams. */
  habit?: "stops" | "queues" | undefined;
  onBusy?: () => void;
}

/** Somebody at a client: watches a session's event stream, allows what asks, answers questions. */
export class Person {
  readonly #client: BeeuniClient;
  readonly #options: PersonOptions;
  readonly #leave = new AbortController();
  readonly #connected = Promise.withResolvers<void>();
  #isBusySeen = false;
  readonly over: Promise<void>;

  constructor(client: BeeuniClient, options: PersonOptions) {
    this.#client = client;
    this.#options = options;
    this.over = this.#watch();
  }

  /** Resolves when the stream has begun. */
  async connected(): Promise<this> {
    await this.#connected.promise;
    return this;
  }

  async leave(): Promise<void> {
    this.#leave.abort();
    await this.over;
  }

  /** Resolves when everything up to this number of the log was seen; false when that takes longer than ten seconds. */
  async saw(seq: number): Promise<boolean> {
    for (let waited = 0; waited < 10_000; waited += 5) {
      if (this.#options.watching.tree.seq >= seq) return true;
      await wait(5);
    }
    return false;
  }

  async #watch(): Promise<void> {
    const { session, watching } = this.#options;
    const { signal } = this.#leave;
    try {
      for await (const item of this.#client.events({ session, signal, lastEventId: watching.cursor })) {
        this.#connected.resolve();
        watching.tree = foldItem(watching.tree, item);
        if (item.kind === "resync") watching.cursor = item.id;
        if (item.kind === "delta") this.#react(item.event);
        if (item.kind !== "event" || item.id === undefined) continue;
        watching.cursor = item.id;
        watching.seen.push(item.event);
        this.#react(item.event);
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  /** A reaction may die with the daemon; what became of it is looked up in the log. */
  #react(event: StreamEvent): void {
    const { permissions, questions, sessions } = this.#client;
    const { session, habit, onBusy } = this.#options;
    const lost = (): void => {};
    if (event.type === "permission.asked") void permissions.reply(event.request.id, { reply: "once" }).catch(lost);
    if (event.type === "question.asked") {
      if (habit === "stops") void sessions.abort(session).catch(lost);
      else void questions.reply(event.request.id, [["red"]]).catch(lost);
    }
    if (event.type === "part.delta" && habit === "queues" && !this.#isBusySeen) {
      this.#isBusySeen = true;
      onBusy?.();
    }
  }
}
