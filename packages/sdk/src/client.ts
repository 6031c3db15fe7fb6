import type { AgentSpec, Health } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import { Calls } from "./calls.ts";
import { type EventsOptions, type EventStream, openEvents } from "./events.ts";
import { Permissions, Questions } from "./requests.ts";
import { Sessions } from "./sessions.ts";
import { type ClientOptions, type RequestOptions, Transport } from "./transport.ts";
import { watchSession } from "./watch.ts";

export interface BeeuniClient {
  readonly sessions: Sessions;
  readonly permissions: Permissions;
  readonly questions: Questions;
  readonly calls: Calls;
  /** The daemon's health document; of one session when given. Needs no token. */
  health(session?: string, options?: RequestOptions): Promise<Health>;
  /** The project's agents, as they stand now. */
  agents(options?: RequestOptions): Promise<AgentSpec[]>;
  events(options: EventsOptions): EventStream;
  watch(options: EventsOptions): AsyncIterable<SessionState>;
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
  return {
    sessions: new Sessions(transport),
    permissions: new Permissions(transport),
    questions: new Questions(transport),
    calls: new Calls(transport),
    health: (session, request) => transport.json("/beeuni/health", { query: { session }, ...request }),
    agents: (request) => transport.json("/beeuni/runtime/agents", request),
    events: (events) => openEvents(transport, events),
    watch: (events) => watchSession(transport, events),
  };
}
