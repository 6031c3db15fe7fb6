import { type AgentInfo, formatCursor, type Health } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import { Calls } from "./calls.ts";
import { EventStream, type EventStreamOptions } from "./event-stream.ts";
import { Permissions, Questions } from "./requests.ts";
import { Sessions } from "./sessions.ts";
import { type ClientOptions, type RequestOptions, Transport } from "./transport.ts";
import { watchStates } from "./watch.ts";

export interface BeeuniClient {
  readonly sessions: Sessions;
  readonly permissions: Permissions;
  readonly questions: Questions;
  readonly calls: Calls;
  /** The daemon's health document; of one session when given. Needs no token. */
  health(session?: string, options?: RequestOptions): Promise<Health>;
  /** The project's agents, as they stand now. */
  agents(options?: RequestOptions): Promise<AgentInfo[]>;
  /** The session's events from `lastEventId` on, over lost connections, until `signal`. */
  events(options: EventStreamOptions): EventStream;
  /** The session's state now, and anew whenever it changed, until `signal`. A slow consumer gets fewer, and the last. */
  watch(session: string, options?: RequestOptions): AsyncIterable<SessionState>;
}

/**
 * A client of one `beeuni serve`.
 *
 * @example
 * const client = createClient({ url, token });
 * const session = await client.sessions.create({ model: "faux/demo" });
 * const { result } = await client.sessions.promptAndWait(session.id, "What is in this folder?");
 */
export function createClient(options: ClientOptions): BeeuniClient {
  const transport = new Transport(options);
  const sessions = new Sessions(transport);
  return {
    sessions,
    permissions: new Permissions(transport),
    questions: new Questions(transport),
    calls: new Calls(transport),
    health: (session, request) => transport.json("/beeuni/health", { query: { session }, ...request }),
    agents: (request) => transport.json("/beeuni/runtime/agents", request),
    events: (events) => new EventStream(transport, events),
    async *watch(session, { signal } = {}) {
      const document = await sessions.state(session, signal === undefined ? {} : { signal }).catch((thrown: unknown) => {
        if (signal?.aborted === true) return undefined;
        throw thrown;
      });
      if (document === undefined) return;
      const { seq, epoch, ...state } = document;
      const start = { seq, at: 0, root: session, sessions: { [session]: state } };
      yield* watchStates(session, start, new EventStream(transport, { session, lastEventId: formatCursor({ epoch, seq }), signal }));
    },
  };
}
