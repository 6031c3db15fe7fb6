import type { BeeuniError } from "@beeuni/protocol";
import {
  applyDelta, deltaFit, reduce, type StreamEvent, type TreeState, type WireContext, wireDelta, type WireEvent, wireEvents, wirePermission, wireQuestion,
} from "@beeuni/transcript";
import type { OpenSession } from "../../session/session-host.ts";

export interface SessionFeedPorts {
  context: WireContext;
  tell: (event: WireEvent) => void;
  /** Nothing follows: the session was closed, or its log can't be written. */
  over: () => void;
}

/**
 * One open session for the clients of the wire: follows its events with a fold of its own, which is exactly as far as what
 * was told, and tells what each event is on the wire.
 */
export class SessionFeed {
  readonly #ports: SessionFeedPorts;
  readonly #leave: () => void;
  #tree: TreeState;
  /** Events that came before the fold's beginning was on the disk. */
  #early: StreamEvent[] | null = [];
  /** Resolves when everything that the feed shows is on the disk. */
  readonly ready: Promise<void>;

  constructor(session: OpenSession, ports: SessionFeedPorts) {
    this.#ports = ports;
    this.#tree = session.log.state;
    this.#leave = session.hub.subscribe({
      event: (event) => (this.#early === null ? this.#take(event) : this.#early.push(event)),
      failed: (error) => this.#failed(session.id, error),
      closed: () => ports.over(),
    });
    // A log that fails says so by itself.
    this.ready = session.log.flushed(this.#tree.seq).then(() => this.#begin(session), () => {});
  }

  /** Requests that wait for a person, of the session and those that it started. */
  openRequests(): WireEvent[] {
    return Object.values(this.#tree.sessions).flatMap(({ permissions, questions }): WireEvent[] => [
      ...permissions.map((request) => ({ type: "permission.asked" as const, properties: wirePermission(request) })),
      ...questions.map((request) => ({ type: "question.asked" as const, properties: wireQuestion(request) })),
    ]);
  }

  close(): void {
    this.#leave();
  }

  #begin({ hub }: OpenSession): void {
    for (const { session, part, text } of hub.streamed()) this.#tree = reduce(this.#tree, { seq: 0, at: 0, type: "part.snapshot", session, part, text });
    const early = this.#early ?? [];
    this.#early = null;
    for (const event of early) this.#take(event);
  }

  #take(event: StreamEvent): void {
    const before = this.#tree;
    if (event.type === "part.delta") {
      if (deltaFit(before, event) !== "next") return;
      this.#tree = applyDelta(before, event);
      this.#tell(wireDelta(before, event, this.#tree));
    } else if (event.seq > before.seq) {
      this.#tree = reduce(before, event);
      this.#tell(wireEvents(before, event, this.#tree, this.#ports.context));
    }
  }

  #failed(session: string, { message }: BeeuniError): void {
    this.#tell([
      { type: "session.error", properties: { sessionID: session, error: { name: "UnknownError", data: { message } } } },
      { type: "session.status", properties: { sessionID: session, status: { type: "idle" } } },
    ]);
    this.#ports.over();
  }

  #tell(events: readonly WireEvent[]): void {
    for (const event of events) this.#ports.tell(event);
  }
}
