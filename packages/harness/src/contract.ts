import type {
  AgentSet, AttributeCall, EnforcedRule, Json, ModelEndpoint, ModelProtocol, ModelRef, QuestionItem, SessionCapability, SupportTable, TurnError, TurnOutcome, Usage,
} from "@beeuni/protocol";
import type { ToolFailure } from "@beeuni/transcript";

export type { AgentSet, AgentSpec, HostToolSpec, RulesFile, ToolAccess } from "@beeuni/protocol";

/**
 * The harness contract. A harness is the program that runs an agent's model loop; an adapter implements `Harness`
 * for one of them. The host prepares (provider, model, permissions, tools, workspace); the harness runs. It chooses
 * no provider and never changes the model.
 */
export interface Harness {
  readonly id: string;
  readonly label: string;
  readonly family: "harness" | "cli-backend";
  readonly toolchain: Toolchain;
  /** How this harness reads permission rules; see `PermissionDialect`. */
  readonly dialect: PermissionDialect;
  /** Names of its own tools that a session offers, by our names (`bash`, `read`, …). */
  readonly builtinTools: readonly string[];
  /** Whether it can serve this provider and model at all. */
  supports(context: ClaimContext): Claim;
  /** What it offers for this version and these options. */
  support(): SupportTable;
  /** Pure: whose call a model request was. Without it every call is the main loop's. */
  readonly attribute?: AttributeCall;
  /** Session functions it has; an id is listed only if `features` of its sessions has the method. */
  readonly capabilities: readonly SessionCapability[];
  /** Pure: everything the harness reads for this session. Names what it cannot carry over, never drops it silently. */
  compile(agents: AgentSet, endpoint: ModelEndpoint, surface: Surface): Compiled;
  /** Starts (or resumes) the harness. Throws a BeeuniError when it can't be started; never falls back. */
  open(spec: SessionSpec, host: HostPort): Promise<HarnessSession>;
}

export interface HarnessSession {
  /** The harness's own session id, for the binding; null until it has one. */
  readonly nativeId: string | null;
  /**
   * Runs one prompt. Resolves when the turn has ended, however it ended; never throws for model, tool or process
   * failures. Every event of the turn was emitted before it resolves.
   */
  turn(input: TurnInput): Promise<TurnEnd>;
  /** Stops what runs. Resolves when the harness is idle and its tools' processes are gone. Does nothing when idle. */
  abort(): Promise<void>;
  /** Takes a new configuration for the next turn without ending a running one. */
  reload?(agents: AgentSet): Promise<void>;
  health(): Promise<HarnessHealth>;
  /** Leaves no process, timer or socket behind. */
  close(): Promise<void>;
  /** One optional method per capability. */
  readonly features: SessionFeatures;
}

/** `message` is the key of one of the harness's messages, or the id of a turn: then the turn's prompt is meant. */
export interface SessionFeatures {
  /** Goes back to before the message; null restores what the last rewind took away. */
  "session.rewind"?: (message: string | null, part?: string) => Promise<void>;
  "session.compact"?: () => Promise<void>;
  /** A copy of the session up to before the message, or of all of it. */
  "session.fork"?: (message?: string) => Promise<{ nativeId: string }>;
  "session.shell"?: (command: string) => Promise<void>;
  "session.todo"?: () => Promise<Json>;
  "session.mcp"?: () => Promise<Json>;
  "session.config"?: () => Promise<Json>;
  "session.commands"?: () => Promise<Json>;
  "session.attach"?: () => Promise<{ command: string[]; env: Record<string, string> }>;
  "session.subagents"?: () => Promise<Json>;
}

/** `project`: our agents, tools and permissions (sessions). `native`: the harness as its makers ship it (rollouts). */
export type Surface = "project" | "native";

export interface Compiled {
  /** Path (relative to the state folder) → text. */
  files: { [path: string]: string };
  env: { [name: string]: string };
  argv: string[];
  /** Per agent, every rule with who enforces it. */
  rules: { [agent: string]: EnforcedRule[] };
  /** Fields of the project that this harness can't honour. */
  unsupported: { field: string; effect: string; why: string }[];
}

export interface SessionSpec {
  session: string;
  /** Absolute path of the workspace. */
  workspace: string;
  /** A folder of this session that the harness may write; holds its own session files. */
  stateDir: string;
  /** Folder of the installed toolchain. */
  toolchainDir: string;
  surface: Surface;
  agents: AgentSet;
  endpoint: ModelEndpoint;
  /** Set on resume. */
  resume: { nativeId: string } | null;
  /** The transcript so far, oldest first, for a harness that lost its own session. */
  history: HistoryMessage[];
  /** Environment for the agent's commands: a complete list, nothing of the daemon's. */
  commandEnv: { [name: string]: string };
}

/** What a conversation looks like to a harness that has to be told: plain roles, texts and tool calls. */
export interface HistoryMessage {
  role: "user" | "assistant";
  text: string;
  /** Error and interrupted calls have an `output` too, so that the next request is valid. */
  toolCalls: { callId: string; tool: string; input: { [key: string]: unknown }; output: string; isError: boolean }[];
}

export interface TurnInput {
  turn: string;
  agent: string;
  model: ModelRef;
  parts: readonly ({ type: "text"; text: string } | { type: "file"; mime: string; url: string; filename?: string })[];
}

export interface TurnEnd {
  outcome: Exclude<TurnOutcome, "interrupted">;
  error?: TurnError;
}

export interface HarnessHealth {
  state: "starting" | "ok" | "down" | "error";
  error: string | null;
  details: { [key: string]: Json };
}

/** What the host does for a harness. All methods are safe to call from any turn. */
export interface HostPort {
  emit(event: HarnessEvent): void;
  /**
   * Asked before each tool call that runs outside the model: tool access, rules, stored grants, and a person when the
   * rule says ask. Resolves when it is decided; a rejection or a stop is a `deny` with the text for the model.
   */
  authorize(call: ToolCallRef): Promise<Authorization>;
  /** Puts questions to a person. Rejects with a BeeuniError (`denied`, `aborted`) when nobody answers. */
  ask(call: ToolCallRef, questions: QuestionItem[]): Promise<string[][]>;
  /** Runs a host tool (already authorized). Rejects with the tool's error. */
  runTool(call: ToolCallRef, signal: AbortSignal): Promise<{ output: string; metadata: { [key: string]: Json } }>;
  log(level: "info" | "warning" | "error", message: string): void;
}

export interface ToolCallRef {
  /** Key of a child session's events, undefined for the root. */
  child?: string;
  agent: string;
  tool: string;
  callId: string;
  input: { [key: string]: unknown };
}

export type Authorization = { allow: true } | { allow: false; kind: Extract<ToolFailure, "denied" | "rejected" | "aborted">; message: string };

/**
 * What a harness reports, already in our words. `key`s are the harness's own stable ids: the host binds them to
 * `msg_…` and `prt_…` ids, so that the same native event seen twice is one event of ours.
 */
export type HarnessEvent = { child?: string } & (
  | { type: "session.bound"; nativeId: string }
  /** The harness began a turn that no prompt asked for. Its end is `turn.end`. */
  | { type: "turn.start"; key: string }
  | { type: "turn.end"; key: string; end: TurnEnd }
  | { type: "message.start"; key: string; model?: ModelRef }
  | { type: "message.end"; key: string; usage: Usage | null; finish: string | null; responseId: string | null; error?: TurnError }
  | { type: "part.start"; key: string; message: string; kind: "text" | "reasoning" }
  | { type: "part.delta"; key: string; delta: string }
  /** `text` is the whole, final text. */
  | { type: "part.end"; key: string; text: string }
  /** The model asked for a tool; arguments complete. `callId` is unique in the session. */
  | { type: "tool.call"; callId: string; message: string; tool: string; input: { [key: string]: unknown } }
  | { type: "tool.start"; callId: string }
  | { type: "tool.progress"; callId: string; metadata: { [key: string]: Json } }
  | { type: "tool.end"; callId: string; output: string; metadata: { [key: string]: Json } }
  | { type: "tool.error"; callId: string; kind: ToolFailure; error: string; metadata?: { [key: string]: Json } }
  | { type: "retry"; attempt: number; message: string; nextAt: number }
  | { type: "notice"; level: "info" | "warning" | "error"; code: string; message: string }
);

export interface ClaimContext {
  provider: string;
  model: string;
  protocols: readonly ModelProtocol[];
}
export type Claim = { supported: true; priority?: number; reason?: string } | { supported: false; reason: string };

/** A pinned set of packages that a harness needs. Installed into its own folder, on first use or by `harness install`. */
export interface Toolchain {
  /** Exact version that is installed. */
  version: string;
  /** Versions that the conformance kit has passed on. */
  tested: readonly string[];
  /** npm package → exact version, for this machine's platform; empty when there is nothing to install. */
  packages: { [name: string]: string };
  /** Why the harness can't be had on this machine at all, when it can't. */
  unavailable?: string;
  /** File (relative to the toolchain's folder) that must be there for the toolchain to count as installed. */
  probe: string;
  /** About how much it takes on disk, for the progress line. Megabytes. */
  megabytes: number;
}

/**
 * How a harness reads permission rules, as data (the meanings differ by harness on purpose).
 * - `order`: which of several matching patterns of one key wins.
 * - `order`'s `longest-wins` looks at the tool's keys in turn and then at `*`; `last-wins` at all rules in file order.
 * - `unaskable`: keys whose `ask` can't ask: it denies.
 * - `keys`: tool name → permission keys tried in turn, before `*`; the tool's own name comes first also when left out.
 * - `subject`: tool name → the argument that patterns are tested against; a missing entry means `path`, null means none.
 *   An argument named `command` is a shell line (tested command by command), one that names a path is normalised.
 */
export interface PermissionDialect {
  order: "longest-wins" | "last-wins";
  unaskable: readonly string[];
  keys: { [tool: string]: readonly string[] };
  subject: { [tool: string]: string | null };
}
