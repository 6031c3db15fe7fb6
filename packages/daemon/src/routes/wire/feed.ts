import { newId } from "@beeuni/protocol";
import { type SessionTree, type WireContext, type WireEvent, wireSession, wireSessionInfo } from "@beeuni/transcript";
import type { LocalDaemon } from "../../local-daemon.ts";
import type { OpenSession } from "../../session/session-host.ts";
import { SessionFeed } from "./session-feed.ts";

/** An event as it is sent: `{id, type, properties}`, written once for all clients. */
export type FeedListener = (event: string) => void;

/**
 * The events of every open session of the daemon for the clients of the wire. Sessions are followed only while there is a
 * client.
 */
export class WireFeed {
  readonly #daemon: LocalDaemon;
  readonly #context: WireContext;
  readonly #listeners = new Set<FeedListener>();
  readonly #sessions = new Map<string, SessionFeed>();
  #unwatch: (() => void) | null = null;
  #members = 0;

  constructor(daemon: LocalDaemon, context: WireContext) {
    this.#daemon = daemon;
    this.#context = context;
  }

  /**
   * Calls `begin` with the requests that wait for a person (a client that was not there when they came must learn of them),
   * and from then on `listener` with every event, in order. Answers the way out.
   */
  async join(listener: FeedListener, begin: (open: readonly string[]) => void): Promise<() => void> {
    this.#members += 1;
    if (this.#unwatch === null) this.#begin();
    await Promise.all([...this.#sessions.values()].map(({ ready }) => ready));
    begin([...this.#sessions.values()].flatMap((session) => session.openRequests().map(sealed)));
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener)) return;
      this.#members -= 1;
      if (this.#members === 0) this.#end();
    };
  }

  #begin(): void {
    this.#unwatch = this.#daemon.watch({
      opened: (session, isNew) => this.#opened(session, isNew),
      removed: (tree) => this.#removed(tree),
    });
    for (const session of this.#daemon.openSessions()) this.#follow(session);
  }

  #end(): void {
    this.#unwatch?.();
    this.#unwatch = null;
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  #follow(session: OpenSession): void {
    this.#sessions.get(session.id)?.close();
    const feed: SessionFeed = new SessionFeed(session, {
      context: this.#context, tell: (event) => this.#tell(event),
      over: () => {
        if (this.#sessions.get(session.id) === feed) this.#sessions.delete(session.id);
      },
    });
    this.#sessions.set(session.id, feed);
  }

  #opened(session: OpenSession, isNew: boolean): void {
    if (isNew) this.#tell({ type: "session.created", properties: { sessionID: session.id, info: wireSession(session.state(), this.#context) } });
    this.#follow(session);
  }

  #removed({ entry, children }: SessionTree): void {
    for (const { status: _status, messages: _messages, ...info } of [...children, entry]) {
      this.#tell({ type: "session.deleted", properties: { sessionID: info.id, info: wireSessionInfo(info, this.#context) } });
    }
  }

  #tell(event: WireEvent): void {
    if (this.#listeners.size === 0) return;
    const text = sealed(event);
    for (const listener of [...this.#listeners]) listener(text);
  }
}

function sealed(event: WireEvent): string {
  return JSON.stringify({ id: newId("evt"), ...event });
}
