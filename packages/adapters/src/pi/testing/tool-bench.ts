import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeOf } from "../tools/paths.ts";
import { ToolError, type Tool, type ToolContext, type ToolInput, type ToolMetadata, type ToolResult } from "../tools/tool.ts";

/** Runs single tools in a folder of their own, without Pi and without a host: every path inside is allowed, none outside. */
export interface ToolBench extends AsyncDisposable {
  workspace: string;
  outputDir: string;
  progress: ToolMetadata[];
  stop: AbortController;
  run(tool: Tool, input: ToolInput): Promise<ToolResult>;
  /** The error that the call ends with. */
  fails(tool: Tool, input: ToolInput): Promise<{ kind: string; message: string; metadata: ToolMetadata }>;
}

export const COMMAND_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", ONLY: "this" };

export async function toolBench(): Promise<ToolBench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "beeuni-tools-")));
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  const stop = new AbortController();
  const progress: ToolMetadata[] = [];
  const context: ToolContext = {
    workspace, outputDir: join(root, "outputs"), commandEnv: COMMAND_ENV, signal: stop.signal, callId: "call_1",
    progress: (metadata) => progress.push(metadata),
    locate: async (path) => {
      const place = await placeOf(workspace, path);
      if (!place.inside) throw new ToolError("denied", "outside");
      return place.real;
    },
  };
  const run = (tool: Tool, input: ToolInput): Promise<ToolResult> => tool.run(input, context);
  return {
    workspace, outputDir: context.outputDir, progress, stop, run,
    fails: (tool, input) => run(tool, input).then(
      ({ output }) => { throw new Error(`the call succeeded: ${output}`); },
      (error: unknown) => {
        if (!(error instanceof ToolError)) throw error;
        return { kind: error.kind, message: error.message, metadata: error.metadata };
      },
    ),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
