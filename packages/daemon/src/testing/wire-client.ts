// @opencode-ai/sdk: the clients that other people's programs use on the session wire; nothing proves it like them.
import { createOpencodeClient as createRootClient } from "@opencode-ai/sdk";
import { createOpencodeClient as createSecondClient, type Event, type Message, type Part, type PermissionRequest, type QuestionRequest, type Session } from "@opencode-ai/sdk/v2/client";

export type { Event as SdkEvent, PermissionRequest as SdkPermission, QuestionRequest as SdkQuestion, Session as SdkSession };
export interface SdkMessage { info: Message; parts: Part[] }

/** What a program does with a session, the same on both clients of the SDK. */
export interface WireClient {
  create(title?: string): Promise<Session>;
  get(session: string): Promise<Session>;
  list(): Promise<Session[]>;
  /** Waits for the turn's end. */
  prompt(session: string, text: string): Promise<SdkMessage>;
  promptAsync(session: string, text: string): Promise<void>;
  messages(session: string): Promise<SdkMessage[]>;
  abort(session: string): Promise<boolean>;
  remove(session: string): Promise<boolean>;
  permission(request: PermissionRequest, reply: "once" | "always" | "reject"): Promise<boolean>;
  answer(request: QuestionRequest, answers: string[][]): Promise<boolean>;
  dismiss(request: QuestionRequest): Promise<boolean>;
  agents(): Promise<{ name: string }[]>;
  models(): Promise<string[]>;
  status(): Promise<{ [session: string]: { type: string } }>;
  /** Resolves when the server has said that it is connected. */
  events(signal: AbortSignal): Promise<AsyncIterable<Event>>;
}

interface Server { url: string; token: string; directory: string }

const basic = ({ token }: Server): string => `Basic ${Buffer.from(`opencode:${token}`).toString("base64")}`;

export function rootClient(server: Server): WireClient {
  const client = createRootClient({ baseUrl: server.url, directory: server.directory, headers: { authorization: basic(server) }, throwOnError: true });
  // It has no word for questions: programs that use it send the two requests themselves.
  const send = async (path: string, body: object): Promise<boolean> => {
    const answer = await fetch(`${server.url}${path}`, { method: "POST", headers: { authorization: basic(server), "content-type": "application/json" }, body: JSON.stringify(body) });
    return (await answer.json()) as boolean;
  };
  const parts = (text: string) => [{ type: "text" as const, text }];
  return {
    create: async (title) => (await client.session.create({ body: title === undefined ? {} : { title } })).data as unknown as Session,
    get: async (id) => (await client.session.get({ path: { id } })).data as unknown as Session,
    list: async () => (await client.session.list()).data as unknown as Session[],
    prompt: async (id, text) => (await client.session.prompt({ path: { id }, body: { parts: parts(text) } })).data as SdkMessage,
    promptAsync: async (id, text) => void (await client.session.promptAsync({ path: { id }, body: { parts: parts(text) } })),
    messages: async (id) => (await client.session.messages({ path: { id } })).data as SdkMessage[],
    abort: async (id) => (await client.session.abort({ path: { id } })).data as boolean,
    remove: async (id) => (await client.session.delete({ path: { id } })).data as boolean,
    permission: async ({ id, sessionID }, response) =>
      (await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response } })).data as boolean,
    answer: async ({ id }, answers) => await send(`/question/${id}/reply`, { answers }),
    dismiss: async ({ id }) => await send(`/question/${id}/reject`, {}),
    agents: async () => (await client.app.agents()).data as { name: string }[],
    models: async () => modelsIn((await client.config.providers()).data!.providers),
    status: async () => (await client.session.status()).data as { [session: string]: { type: string } },
    events: async (signal) => await connected((await client.event.subscribe({ signal })).stream as AsyncGenerator<Event>),
  };
}

export function secondClient(server: Server): WireClient {
  const client = createSecondClient({ baseUrl: server.url, directory: server.directory, headers: { authorization: basic(server) }, throwOnError: true });
  const parts = (text: string) => [{ type: "text" as const, text }];
  return {
    create: async (title) => (await client.session.create(title === undefined ? {} : { title })).data!,
    get: async (sessionID) => (await client.session.get({ sessionID })).data!,
    list: async () => (await client.session.list()).data!,
    prompt: async (sessionID, text) => (await client.session.prompt({ sessionID, parts: parts(text) })).data!,
    promptAsync: async (sessionID, text) => void (await client.session.promptAsync({ sessionID, parts: parts(text) })),
    messages: async (sessionID) => (await client.session.messages({ sessionID })).data!,
    abort: async (sessionID) => (await client.session.abort({ sessionID })).data!,
    remove: async (sessionID) => (await client.session.delete({ sessionID })).data!,
    permission: async ({ id }, reply) => (await client.permission.reply({ requestID: id, reply })).data!,
    answer: async ({ id }, answers) => (await client.question.reply({ requestID: id, answers })).data!,
    dismiss: async ({ id }) => (await client.question.reject({ requestID: id })).data!,
    agents: async () => (await client.app.agents()).data!,
    models: async () => modelsIn((await client.config.providers()).data!.providers),
    status: async () => (await client.session.status()).data!,
    events: async (signal) => await connected((await client.event.subscribe({}, { signal })).stream as AsyncGenerator<Event>),
  };
}

function modelsIn(providers: readonly { id: string; models: { [id: string]: unknown } }[]): string[] {
  return providers.flatMap(({ id, models }) => Object.keys(models).map((model) => `${id}/${model}`));
}

async function connected(stream: AsyncGenerator<Event>): Promise<AsyncIterable<Event>> {
  const first = await stream.next();
  if (first.done === true || first.value.type !== "server.connected") throw new Error(`the stream began with ${JSON.stringify(first.value)}`);
  return stream;
}
