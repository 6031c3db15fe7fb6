import type { Json } from "@beeuni/protocol";

/** The default export of a tool module: `tools/lookup.ts`. */
export interface ToolModule {
  /** What the model reads. */
  description: string;
  /** JSON Schema of the arguments, `type: "object"`. Arguments are not checked against it. */
  parameters: { [key: string]: Json };
  /**
   * A text is the result as it is, undefined the empty text, anything else becomes JSON. What it throws is the tool's
   * error, which the model reads.
   */
  execute(args: { [key: string]: unknown }, context: ToolContext): unknown;
}

export interface ToolContext {
  sessionId: string;
  agent: string;
  /** The session's workspace, absolute. */
  directory: string;
  /** Environment granted to tools; nothing of the daemon's own. */
  env: { readonly [name: string]: string };
  /** Fires when the turn is stopped. */
  signal: AbortSignal;
}

/** A module that loaded. */
export interface LoadedTool {
  name: string;
  description: string;
  parameters: { [key: string]: Json };
  /** `project`: a module of the repository · `beeuni`: one of Beeuni's own. */
  source: "project" | "beeuni";
  /** Repo-relative path; `beeuni:<name>` for one of Beeuni's own. */
  path: string;
  /** sha256 of the module's file; null for one of Beeuni's own. */
  digest: string | null;
  execute: ToolModule["execute"];
}

export interface ToolLoadFailure {
  name: string;
  path: string;
  error: string;
}

export interface LoadedTools {
  tools: LoadedTool[];
  /** Modules that were skipped, each with its reason. The others work. */
  failed: ToolLoadFailure[];
}

export interface LoadToolsOptions {
  /** The project's folder, null when the session has none. */
  directory: string | null;
  /** Project modules in the order of the manifest. */
  modules: readonly { name: string; path: string }[];
  /** Beeuni's own tools by name; a project module of the same name replaces one. */
  system?: { [name: string]: ToolModule };
  /** How long one module may take to load, milliseconds; default 10 000. */
  timeoutMs?: number;
}

export interface RunToolOptions {
  /** Where an output that is too long for the model is kept whole; made when needed, 0700. */
  outputDirectory: string;
  /** Called when a stopped tool did not return: its promise is left alone. */
  onAbandoned?: ((tool: string) => void) | undefined;
}

export interface ToolOutput {
  /** What the model reads: at most 49 KiB and 1990 lines, plus the note where the rest is. */
  output: string;
  /** `truncated`, `bytes`, `lines`, `file` when the output was cut; empty otherwise. */
  metadata: { [key: string]: Json };
}
