import type {
  CreateSession, Health, HarnessDecision, PermissionReplyBody, PromptPart, SessionEntry, TurnInfo,
} from "@beeuni/protocol";
import type { SessionState, StreamEvent } from "@beeuni/transcript";

export interface PromptInput {
  messageId?: string;
  parts: PromptPart[];
  agent?: string;
  model?: string;
  variant?: string;
}

export interface AcceptedPrompt {
  message: string;
  turn: string;
  /** The same message id was accepted before: nothing new was started. */
  deduplicated: boolean;
  /** Resolves when the turn has ended and is on the disk. */
  done: Promise<TurnInfo>;
}

/** One open session: its log, its harness, its permissions. */
export interface SessionHost {
  readonly id: string;
  readonly decision: HarnessDecision;
  state(): SessionState;
  /** Resolves when the prompt is durable. Prompts queue; one turn runs at a time. */
  prompt(input: PromptInput): Promise<AcceptedPrompt>;
  /** Acknowledged within 100 ms; the turn ends when the harness has stopped. False when nothing runs. */
  abort(): Promise<boolean>;
  replyPermission(id: string, reply: PermissionReplyBody, by?: "client" | "flag"): Promise<void>;
  replyQuestion(id: string, answers: string[][]): Promise<void>;
  rejectQuestion(id: string): Promise<void>;
  /** Events in order: durable ones once they are durable, deltas in between. */
  subscribe(listener: (event: StreamEvent) => void): () => void;
  health(): Promise<Health>;
  close(): Promise<void>;
}

/** The sessions of one project. */
export interface Daemon {
  readonly directory: string;
  createSession(request: CreateSession): Promise<SessionHost>;
  /** Opens (resumes) a session; the one already open when there is one. */
  openSession(id: string): Promise<SessionHost>;
  sessions(): Promise<SessionEntry[]>;
  removeSession(id: string): Promise<void>;
  close(): Promise<void>;
}
