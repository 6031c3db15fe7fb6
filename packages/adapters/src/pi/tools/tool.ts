import type { Json } from "@beeuni/protocol";
import type { ToolFailure } from "@beeuni/transcript";

export type ToolInput = { readonly [key: string]: unknown };
export type ToolMetadata = { [key: string]: Json };

/** One built-in tool. Arguments were checked against `parameters` before `run` is called. */
export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: { [key: string]: Json };
  /** Throws `ToolError`, or any Error, whose message the model reads. */
  run(input: ToolInput, context: ToolContext): Promise<ToolResult>;
}

export interface ToolResult {
  /** What the model reads. */
  output: string;
  metadata: ToolMetadata;
  /** Shown to models that take images. `data` is base64. */
  images?: { mime: string; data: string }[];
}

/** What a call may use. The host has allowed the call itself. */
export interface ToolContext {
  /** Real path of the workspace. */
  workspace: string;
  /** Folder for whole outputs that were too long for the model. Created when it is needed. */
  outputDir: string;
  /** Environment of commands, complete. */
  commandEnv: { readonly [name: string]: string };
  /** Aborted when the turn is stopped. `run` then ends within a second, its processes gone. */
  signal: AbortSignal;
  callId: string;
  /** Metadata of the running call, for whoever watches. */
  progress(metadata: ToolMetadata): void;
  /**
   * The absolute path behind a path argument, symbolic links followed. Asks the host again when it leads elsewhere than
   * it reads; throws `ToolError` when that is denied.
   */
  locate(path: string): Promise<string>;
}

/** A call that ended without a result. `message` is for the model. */
export class ToolError extends Error {
  readonly kind: ToolFailure;
  readonly metadata: ToolMetadata;

  constructor(kind: ToolFailure, message: string, metadata: ToolMetadata = {}) {
    super(message);
    this.name = "ToolError";
    this.kind = kind;
    this.metadata = metadata;
  }
}

/** What the model reads when the turn was stopped under a call. */
export const ABORTED = "The call was stopped before it ended.";
