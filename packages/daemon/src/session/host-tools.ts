import { join } from "node:path";
import { BeeuniError, type Json } from "@beeuni/protocol";
import type { ToolCallRef } from "@beeuni/harness";
import { type LoadedTool, runTool } from "@beeuni/tools";

export interface HostToolOptions {
  session: string;
  workspace: string;
  tools: readonly LoadedTool[];
  /** What the tools see of the environment: what the agent's commands see, nothing of the daemon's. */
  env: { readonly [name: string]: string };
  /** The session's folder. */
  directory: string;
  warn: (message: string) => void;
}

/** The project's tools, run in this process. Authorized by whoever calls. */
export class HostTools {
  readonly #options: HostToolOptions;

  constructor(options: HostToolOptions) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#options.tools.some((tool) => tool.name === name);
  }

  /** Rejects with what the tool threw, with `aborted` on a stop, with `not_found` for a tool that the session does not have. */
  async run(call: ToolCallRef, signal: AbortSignal): Promise<{ output: string; metadata: { [key: string]: Json } }> {
    const { session, workspace, tools, env, directory, warn } = this.#options;
    const tool = tools.find(({ name }) => name === call.tool);
    if (tool === undefined) throw new BeeuniError("not_found", `There is no tool named ${call.tool}.`);
    return await runTool(tool, call.input, { sessionId: session, agent: call.agent, directory: workspace, env, signal }, {
      outputDirectory: join(directory, "tool-output"),
      onAbandoned: (name) => warn(`the tool ${name} was stopped and did not return`),
    });
  }
}
