import type { NativeEvent, NativeMessage } from "./native-events.ts";

/**
 * The part of Pi's SDK that this adapter uses, as far as it uses it. The SDK is not a dependency of this repository: it
 * is a toolchain, imported from its own folder.
 */
export interface PiSdk {
  VERSION: string;
  createAgentSession(options: SessionOptions): Promise<{ session: NativeSession }>;
  createExtensionRuntime(): unknown;
  ModelRuntime: { create(options: { modelsPath: null; refreshOnCreate: false; credentials: CredentialStore }): Promise<ModelRuntime> };
  SessionManager: {
    create(cwd: string, folder: string): SessionStore;
    open(file: string, folder: string, cwd: string): SessionStore;
  };
  SettingsManager: { inMemory(settings: object, options: { projectTrusted: boolean }): unknown };
}

export interface SessionOptions {
  cwd: string;
  agentDir: string;
  modelRuntime: ModelRuntime;
  model: NativeModel;
  thinkingLevel: ThinkingLevel;
  resourceLoader: object;
  settingsManager: unknown;
  sessionManager: SessionStore;
  /** Names of the tools that are registered and active; nothing else is. */
  tools: string[];
  customTools: NativeTool[];
}

export interface NativeSession {
  readonly sessionId: string;
  readonly model: NativeModel | undefined;
  readonly agent: { streamFunction: StreamFunction };
  subscribe(listener: (event: NativeEvent) => void): () => void;
  prompt(text: string, options: PromptOptions): Promise<void>;
  abort(): Promise<void>;
  setModel(model: NativeModel): Promise<void>;
  getActiveToolNames(): string[];
  /** Also renders the system prompt anew. */
  setActiveToolsByName(names: string[]): void;
  dispose(): void;
}

export interface PromptOptions {
  expandPromptTemplates: false;
  images?: NativeImage[];
  /** Called with "started" when the run has begun and before its first request. */
  preflightResult?: (result: string) => void;
}

export interface NativeImage { type: "image"; data: string; mimeType: string }
export type NativeContent = { type: "text"; text: string } | NativeImage;

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export interface NativeModel {
  id: string;
  provider: string;
  api: string;
  reasoning: boolean;
  input: ("text" | "image")[];
  compat?: object;
  thinkingLevelMap?: { [level: string]: string | null };
  [field: string]: unknown;
}

export interface ModelRuntime {
  registerProvider(id: string, config: object): void;
  getModel(provider: string, id: string): NativeModel | undefined;
}

export interface CredentialStore {
  read(): Promise<undefined>;
  list(): Promise<readonly []>;
  modify(id: string, change: (current: undefined) => Promise<unknown>): Promise<unknown>;
  delete(): Promise<void>;
}

/** An entry of the session file; `message` when its type is `message`. */
export interface StoredEntry { type: string; id: string; message?: NativeMessage }

export interface SessionStore {
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getBranch(): StoredEntry[];
  appendMessage(message: NativeMessage): string;
}

export interface NativeTool {
  name: string;
  label: string;
  description: string;
  parameters: object;
  prepareArguments?: (input: unknown) => unknown;
  /** Called whenever the loadout is made: which tools the model is not told of although they can be called. */
  prepareLoadout?: (loadout: unknown) => { hiddenDeclarations: string[] };
  execute(callId: string, input: { [key: string]: unknown }, signal: AbortSignal | undefined, onUpdate: ((partial: NativeToolResult) => void) | undefined): Promise<NativeToolResult>;
}

export interface NativeToolResult {
  content: NativeContent[];
  details: unknown;
  isError?: boolean;
  /** The run ends after this call's batch when all its calls say so. */
  terminate?: boolean;
}

export interface ModelContext { messages: NativeMessage[] }
export interface ModelStream extends AsyncIterable<unknown> { result(): Promise<NativeMessage> }
export interface StreamOptions {
  sessionId?: string;
  temperature?: number;
  /** Undefined: off. */
  reasoning?: ThinkingLevel | undefined;
  fetch?: typeof fetch;
  signal?: AbortSignal;
  onPayload?: (payload: object, model: NativeModel) => Promise<object | undefined>;
  [field: string]: unknown;
}
export type StreamFunction = (model: NativeModel, context: ModelContext, options: StreamOptions) => Promise<ModelStream>;
