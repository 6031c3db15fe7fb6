import type {
  CreateSession, Health, HarnessDecision, PermissionReplyBody, PromptPart, SessionEntry, TurnInfo,
} from "@beeuni/protocol";
import type { Gateway } from "@beeuni/gateway";
import type { Harness, HarnessRegistry } from "@beeuni/harness";
import type { TraceOptions } from "@beeuni/trace";
import type { SessionState, SessionTree, StreamEvent } from "@beeuni/transcript";
import type { LogFs } from "@beeuni/transcript/log";
import type { Checkpoint } from "./session/checkpoints.ts";
import type { Logger } from "./session/logger.ts";
import type { AllowFlags } from "./session/permissions.ts";
import type { OpenSession } from "./session/session-host.ts";

export interface PromptInput {
  messageId?: string;
  parts: PromptPart[];
  agent?: string;
  /** `provider/model`. */
  model?: string;
  variant?: string;
}

export interface AcceptedPrompt {
  message: string;
  turn: string;
  /** The same message id was accepted before: nothing new was started. */
  deduplicated: boolean;
  /** Resolves when the turn has ended and is on the disk. Rejects when that can't be known (the log failed, the session was closed). */
  done: Promise<TurnInfo>;
}

/** One open session: its log, its harness, its permissions. */
export interface SessionHost {
  readonly id: string;
  readonly decision: HarnessDecision;
  state(): SessionState;
  /** Resolves when the prompt is durable. Prompts queue; one turn runs at a time. */
  prompt(input: PromptInput): Promise<AcceptedPrompt>;
  /**
   * Stops what runs; false when nothing does. Acknowledged within 100 ms; the turn ends when the harness has stopped.
   * Prompts that wait are kept and run next.
   */
  abort(): Promise<boolean>;
  replyPermission(id: string, reply: PermissionReplyBody): Promise<void>;
  replyQuestion(id: string, answers: string[][]): Promise<void>;
  rejectQuestion(id: string): Promise<void>;
  /** Events in order: durable ones once they are durable, deltas in between. Returns the way out. */
  subscribe(listener: (event: StreamEvent) => void): () => void;
  health(): Promise<Health>;
  /** Stops what runs, closes the harness and frees the log. Prompts that wait are closed as interrupted. */
  close(): Promise<void>;
}

/** Goes on with another agent or model than before. */
export interface OpenOverrides {
  agent?: string;
  /** `provider/model`. */
  model?: string;
  harness?: string;
}

/** Told of what happens to the sessions of a daemon as such; what happens in one is in its events. */
export interface SessionsWatcher {
  /** A session was opened; `isNew`: it was made right now. */
  opened(session: OpenSession, isNew: boolean): void;
  /** A session and those that it started are gone for good. */
  removed(tree: SessionTree): void;
}

/** The sessions of one project. */
export interface Daemon {
  readonly directory: string;
  createSession(request: CreateSession): Promise<SessionHost>;
  /** Opens (resumes) a session; the one already open when there is one. */
  openSession(id: string, overrides?: OpenOverrides): Promise<SessionHost>;
  sessions(): Promise<SessionEntry[]>;
  removeSession(id: string): Promise<void>;
  close(): Promise<void>;
}

export interface DaemonOptions {
  /** `$BEEUNI_HOME`, absolute. */
  home: string;
  /** The project's folder, absolute, links resolved. */
  directory: string;
  registry: HarnessRegistry;
  gateway: Gateway;
  /** The project's flags, read anew at each start, restart and resume of a session. */
  flags: () => Promise<{ llm_gateway: boolean; pi_harness: boolean }>;
  /** `--harness`: what sessions run when they name none. */
  explicitHarness?: string;
  /** `provider/model` for agents that name none. */
  defaultModel?: string;
  /** What a person allowed at the start; nothing when left out. */
  allow?: AllowFlags;
  /** Starts also when a `deny` is enforced by nobody; recorded in the session. */
  allowUnenforced?: boolean;
  /** Nobody can be asked: permissions that ask are refused, questions dismissed. */
  headless: boolean;
  /** Environment of the agent's commands and tools: the whole of it. */
  commandEnv: { [name: string]: string };
  /** Version that health shows. */
  version?: string;
  isolation?: Health["isolation"];
  /** Installs a missing toolchain, with progress. Left out: a missing one is `harness_not_installed`. */
  onInstall?: (harness: Harness) => Promise<void>;
  log?: Logger;
  /** File system of the sessions' logs; a test may pass one that fails. */
  logFs?: LogFs;
  /** How the sessions' wire traces are written; a test may pass small segments, or a file system that fails. */
  trace?: Pick<TraceOptions, "segmentBytes" | "fs">;
  /** For crash tests; see `CHECKPOINTS`. */
  onCheckpoint?: Checkpoint;
  /** Milliseconds that a harness has to follow a stop before it is closed; default 10 000. */
  abortGrace?: number;
  /** Milliseconds that a harness has to close; default 10 000. */
  closeGrace?: number;
}
