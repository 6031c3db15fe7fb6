import { basename } from "node:path";
import { findBash, isExecutable } from "./find-bash.ts";
import type { LeftBehind } from "./left-behind.ts";
import { OutputCollector } from "./output-collector.ts";
import { startGroup } from "./process-group.ts";
import { ABORTED, ToolError, type Tool } from "./tool.ts";

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 3_600;
const PROGRESS_MS = 100;

/** Runs shell commands. `leftBehind` takes the processes that outlive their command. */
export function bashTool(leftBehind: LeftBehind): Tool {
  return {
    name: "bash",
    description:
      "Run a shell command with bash in the workspace folder. Output and errors come back together, with the exit code when it is not 0; " +
      "of a very long output, its end. Commands get no input: use flags that answer questions. Start a server or watcher with `&` and its output redirected to a file.",
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command line to run" },
        timeout: { type: "number", description: `Seconds after which the command is stopped (default ${DEFAULT_TIMEOUT_S}, at most ${MAX_TIMEOUT_S})` },
      },
      required: ["command"],
    },
    async run(input, { workspace, outputDir, commandEnv, signal, callId, progress }) {
      const command = String(input["command"]);
      const seconds = timeoutOf(input["timeout"]);
      const output = new OutputCollector(outputDir, `bash-${callId.replace(/[^\w-]/g, "_").slice(0, 60)}`);
      let pending: NodeJS.Timeout | undefined;
      const report = (): void => {
        pending = undefined;
        progress({ output: output.preview() });
      };
      const group = startGroup(command, {
        shell: shellOf(commandEnv), cwd: workspace, env: commandEnv,
        onOutput: (chunk) => {
          output.write(chunk);
          pending ??= setTimeout(report, PROGRESS_MS);
        },
      });
      const over = Promise.withResolvers<"timeout" | "aborted">();
      const timer = setTimeout(() => over.resolve("timeout"), seconds * 1_000);
      const onAbort = (): void => over.resolve("aborted");
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        const ended = await Promise.race([group.exit, over.promise]).catch((error: unknown) => {
          throw new ToolError("failed", `bash could not be started: ${(error as Error).message}`);
        });
        if (typeof ended === "string") await group.stop();
        leftBehind.add(group);
        const { text, bytes, lines, truncated, file } = output.end();
        const metadata = { bytes, lines, truncated, ...(file === null ? {} : { file }) };
        if (ended === "aborted") throw new ToolError("aborted", ABORTED, { ...metadata, output: text });
        if (ended === "timeout") {
          throw new ToolError("failed", withNote(text, `[The command was stopped after ${seconds} s. Give a longer timeout, or run it with & and its output in a file.]`), metadata);
        }
        const note = ended.code === 0 ? "" : ended.code === null ? `[ended by ${ended.signal}]` : `[exit code ${ended.code}]`;
        return { output: withNote(text, note), metadata: { ...metadata, exit: ended.code, ...(ended.signal === null ? {} : { signal: ended.signal }) } };
      } finally {
        clearTimeout(timer);
        clearTimeout(pending);
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

/** The environment's own SHELL when it is a bash (a wall may put its shim there), else bash from its PATH, else sh. */
function shellOf(env: { readonly [name: string]: string }): string {
  const own = env["SHELL"];
  return own !== undefined && basename(own) === "bash" && isExecutable(own) ? own : findBash(env["PATH"]) ?? "/bin/sh";
}

function timeoutOf(value: unknown): number {
  const seconds = typeof value === "number" && Number.isFinite(value) && value > 0 ? value : DEFAULT_TIMEOUT_S;
  return Math.min(seconds, MAX_TIMEOUT_S);
}

function withNote(text: string, note: string): string {
  if (note === "") return text === "" ? "(no output)" : text;
  return text === "" ? note : `${text}${text.endsWith("\n") ? "" : "\n"}${note}`;
}
