import type { EnforcedRule, HarnessDecision, PermissionRequest, QuestionRequest, SessionInfo, SessionStatus, TurnInfo } from "@beeuni/protocol";
import type { Message, Part } from "./parts.ts";

/** One session of the tree, folded. Messages and parts stand in log order. */
export interface SessionState {
  info: SessionInfo;
  deleted: boolean;
  status: SessionStatus;
  turns: TurnInfo[];
  messages: { info: Message; parts: Part[] }[];
  permissions: PermissionRequest[];
  questions: QuestionRequest[];
  /** "Always" answers that hold for this session. */
  grants: { permission: string; pattern: string; agent: string }[];
  notices: { at: number; level: "info" | "warning" | "error"; code: string; message: string }[];
  opened: { epoch: string; decision: HarnessDecision; harnessVersion: string | null; rules: EnforcedRule[]; isolation: string } | null;
}

/** The fold of a log: everything shown anywhere is read from here. */
export interface TreeState {
  /** Number of the last event folded in; 0 for none. */
  seq: number;
  at: number;
  root: string | null;
  sessions: { [id: string]: SessionState };
}

export const EMPTY_TREE: TreeState = { seq: 0, at: 0, root: null, sessions: {} };
