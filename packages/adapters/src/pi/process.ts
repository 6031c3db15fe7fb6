import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { BeeuniError, type AgentSet } from "@beeuni/protocol";
import type { HostPort, SessionSpec } from "@beeuni/harness";
import { CallIds } from "./call-ids.ts";
import { gatewayFetch, type GatewayFetch } from "./gateway-fetch.ts";
import { callIdsOf } from "./history.ts";
import { loadSdk } from "./load-sdk.ts";
import { endpointModel, GATEWAY, gatewayProvider } from "./models.ts";
import { nativeSettings, type PiOptions } from "./options.ts";
import { shapeRequests } from "./request.ts";
import type { CredentialStore, ModelRuntime, NativeModel, NativeSession, PiSdk, SessionStore } from "./sdk.ts";
import { openStore } from "./session-store.ts";
import { nativeTools } from "./tools/native-tools.ts";
import type { CallResources } from "./tools/call-resources.ts";
import type { CallServices } from "./tools/run-call.ts";
import type { ActiveTurn } from "./turn.ts";

/** Pi in this process, for one session of ours. */
export interface PiProcess {
  readonly models: ModelRuntime;
  readonly store: SessionStore;
  readonly workspace: string;
  /** A Pi session over the store with these host tools; the one before must be disposed. */
  startSession(tools: AgentSet["hostTools"]): Promise<NativeSession>;
  /** Drops the connections to the gateway. */
  close(): Promise<void>;
}

export interface ProcessPorts {
  host: HostPort;
  resources: CallResources;
  turn: () => ActiveTurn | null;
  isHidden: (tool: string) => boolean;
  /** Asked whenever Pi renders its system prompt. */
  systemPrompt: () => string;
}

/** Loads the SDK and opens Pi's own session. Throws a BeeuniError when that can't be done. */
export async function startPi(spec: SessionSpec, options: PiOptions, ports: ProcessPorts): Promise<PiProcess> {
  const sdk = await loadSdk(spec.toolchainDir);
  const folders = { agent: join(spec.stateDir, "agent"), sessions: join(spec.stateDir, "sessions"), outputs: join(spec.stateDir, "outputs") };
  await mkdir(folders.sessions, { recursive: true, mode: 0o700 });
  const workspace = await realpath(spec.workspace).catch((cause: unknown) => {
    throw new BeeuniError("harness_start_failed", `the workspace ${spec.workspace} can't be opened: ${(cause as Error).message}`, { cause });
  });
  const { runtime: models, first } = await gatewayModels(sdk, spec);
  const store = await openStore(sdk, {
    workspace, folder: folders.sessions, resume: spec.resume, history: spec.history, host: ports.host,
    author: { api: first.api, provider: first.provider, model: first.id },
  });
  const connection: GatewayFetch = gatewayFetch(spec.endpoint.root);
  const callIds = new CallIds(callIdsOf(store.getBranch(), spec.history));
  const services: CallServices = {
    host: ports.host, workspace: { spelling: spec.workspace, real: workspace }, outputDir: folders.outputs, commandEnv: spec.commandEnv, turn: ports.turn,
  };
  return {
    models, store, workspace,
    async startSession(hostTools) {
      const tools = nativeTools(services, hostTools, ports.resources, ports.isHidden);
      const { session } = await sdk.createAgentSession({
        cwd: workspace, agentDir: folders.agent, modelRuntime: models, model: first, thinkingLevel: "off", sessionManager: store,
        settingsManager: sdk.SettingsManager.inMemory(nativeSettings(options), { projectTrusted: false }),
        resourceLoader: resources(sdk, ports.systemPrompt), tools: tools.map(({ name }) => name), customTools: tools,
      });
      session.agent.streamFunction = shapeRequests(session.agent.streamFunction, { turn: ports.turn, callIds, fetch: connection.fetch });
      return session;
    },
    close: () => connection.close(),
  };
}

/** Pi's model list for the session, and the model that it starts with: the default agent's, else the first. */
async function gatewayModels(sdk: PiSdk, { endpoint, agents }: SessionSpec): Promise<{ runtime: ModelRuntime; first: NativeModel }> {
  const runtime = await sdk.ModelRuntime.create({ modelsPath: null, refreshOnCreate: false, credentials: NO_CREDENTIALS });
  runtime.registerProvider(GATEWAY, gatewayProvider(endpoint, (provider, id) => runtime.getModel(provider, id)));
  const preferred = agents.agents.find(({ name }) => name === agents.default)?.model ?? null;
  const start = (preferred === null ? undefined : endpointModel(endpoint, preferred)) ?? endpoint.models[0];
  const first = start === undefined ? undefined : runtime.getModel(GATEWAY, start.wireId);
  if (first === undefined) throw new BeeuniError("no_model", "the session has no model that Pi can call", { hint: "give a model with --model provider/model" });
  return { runtime, first };
}

/** Keys live in the gateway: Pi has none, and stores none. */
const NO_CREDENTIALS: CredentialStore = {
  read: async () => undefined,
  list: async () => [],
  modify: async (_id, change) => change(undefined),
  delete: async () => {},
};

/** What Pi would gather from the user's and the project's folders: nothing but our system prompt. */
function resources(sdk: PiSdk, systemPrompt: () => string): object {
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime: sdk.createExtensionRuntime() }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: systemPrompt,
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
}
