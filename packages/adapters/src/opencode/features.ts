import { join } from "node:path";
import { BeeuniError, SESSION_CAPABILITY_IDS, type AgentSet, type Json, type SessionCapability } from "@beeuni/protocol";
import type { SessionFeatures } from "@beeuni/harness";
import type { Engine } from "./engine.ts";
import { isInternalAgent, nativeAgent } from "./names.ts";
import type { NativeSession, StoredMessage } from "./native-events.ts";

export interface FeaturePorts {
  engine: () => Engine;
  nativeId: () => string;
  /** The endpoint's root, which holds the session's token. */
  root: string;
  agents: () => AgentSet;
  model: () => { providerID: string; modelID: string };
  /** Runs work on OpenCode's session that is no turn. Rejects with `session_busy` during one. */
  quietly: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Every session function has a route in OpenCode. */
export const capabilities: readonly SessionCapability[] = SESSION_CAPABILITY_IDS;

export function features({ engine, nativeId, root, agents, model, quietly }: FeaturePorts): Required<SessionFeatures> {
  const api = (): Engine["api"] => engine().api;
  const path = (rest: string): string => `/session/${nativeId()}${rest}`;
  const point = async (message: string): Promise<string> => messageAt(await api().get<StoredMessage[]>(path("/message")), message);
  return {
    "session.rewind": (message, part) => quietly(async () => {
      if (message === null) await api().post(path("/unrevert"));
      else await api().post(path("/revert"), { messageID: await point(message), ...(part === undefined ? {} : { partID: part }) });
    }),
    "session.compact": () => quietly(async () => void (await api().post(path("/summarize"), { ...model(), auto: false }))),
    "session.fork": async (message) => {
      const { id } = await api().post<NativeSession>(path("/fork"), message === undefined ? {} : { messageID: await point(message) });
      return { nativeId: id };
    },
    "session.shell": async (command) => {
      await api().post(path("/shell"), { agent: nativeAgent(agents().default), command, model: model() });
    },
    "session.todo": async () => await api().get<Json>(path("/todo")),
    "session.mcp": async () => await api().get<Json>("/mcp"),
    "session.config": async () => JSON.parse(JSON.stringify(await api().get<Json>("/config")).replaceAll(root, MASKED)) as Json,
    "session.commands": async () => await api().get<Json>("/command"),
    "session.attach": async () => {
      const { layout, password } = engine();
      return {
        command: [layout.binary, "attach", api().url, "--dir", layout.workspace, "--session", nativeId()],
        // The client keeps files beside those of the server: not in the user's homes either.
        env: { OPENCODE_SERVER_PASSWORD: password, ...Object.fromEntries(HOMES.map(([name, folder]) => [name, join(layout.state, folder)])) },
      };
    },
    "session.subagents": async () => {
      const all = await api().get<{ name: string; description?: string; mode: string }[]>("/agent");
      return all.filter(({ name, mode }) => mode !== "primary" && !isInternalAgent(name)).map(({ name, description }) => ({ name, description: description ?? "" }));
    },
  };
}

const MASKED = "http://gateway/s/***";
const HOMES = [["XDG_CONFIG_HOME", "config"], ["XDG_DATA_HOME", "data"], ["XDG_CACHE_HOME", "cache"], ["XDG_STATE_HOME", "local"]] as const;

/** OpenCode's id of the message: the key of one, or a turn, whose prompt is then meant. */
function messageAt(stored: readonly StoredMessage[], message: string): string {
  const found = stored.find(({ info, parts }) => info.id === message.replace(/~\d+$/, "") || parts.some((part) => part.type === "text" && part.metadata?.["turn"] === message));
  if (found !== undefined) return found.info.id;
  throw new BeeuniError("not_found", `there is no message "${message}" in OpenCode's session`);
}
