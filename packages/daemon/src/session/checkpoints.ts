/**
 * Named states of a session, each reached just after what it names is on the disk (or, for those that end in `-opening`,
 * `-running` or `-ending`, just before the next step). A crash test kills the process there.
 */
export const CHECKPOINTS = [
  "log-created", "harness-opening", "binding-written", "prompt-accepted", "queued-second-prompt", "turn-started", "message-open",
  "first-delta", "snapshot-written", "tool-called", "permission-asked", "permission-answered", "question-asked", "tool-running",
  "tool-ended", "message-ended", "aborting", "turn-ending", "turn-ended", "recovered",
] as const;
export type CheckpointName = (typeof CHECKPOINTS)[number];
export type Checkpoint = (name: CheckpointName) => void;
