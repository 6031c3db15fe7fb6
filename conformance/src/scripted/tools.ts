import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Json, QuestionItem } from "@beeuni/protocol";
import type { ToolFailure } from "@beeuni/transcript";
import type { AgentSpec, HarnessEvent, HostPort, SessionSpec, ToolCallRef } from "@beeuni/harness";
import { runCommand } from "./process-group.ts";
import type { Given } from "./script.ts";

const object = (properties: { [name: string]: { [key: string]: Json } }): { [key: string]: Json } => ({
  type: "object", properties, required: Object.keys(properties),
});
const text = { type: "string" };

/** The scripted harness's own tools, as its model sees them. */
export const BUILTIN_TOOLS = [
  { name: "bash", description: "Runs a shell command in the workspace.", parameters: object({ command: text }) },
  { name: "read", description: "Reads a file of the workspace.", parameters: object({ path: text }) },
  { name: "write", description: "Writes a file of the workspace.", parameters: object({ path: text, content: text }) },
  { name: "question", description: "Asks the person.", parameters: object({ questions: { type: "array" } }) },
] as const;

/** The tools that the agent's model sees: built in and the host's, as far as the agent may use them. */
export function visibleTools(spec: SessionSpec, agent: AgentSpec): { name: string; description: string; parameters: unknown }[] {
  return [...BUILTIN_TOOLS, ...spec.agents.hostTools].filter(({ name }) => {
    switch (agent.tools.kind) {
      case "all": return true;
      case "none": return false;
      case "only": return agent.tools.names.includes("*") || agent.tools.names.includes(name);
      case "exclude": return !agent.tools.names.includes(name);
    }
  });
}

export interface CallContext {
  call: ToolCallRef;
  given: Given | null;
  via: "any" | "host";
  host: HostPort;
  spec: SessionSpec;
  signal: AbortSignal;
  emit: (event: Extract<HarnessEvent, { type: `tool.${string}` }>) => void;
}

interface Result { output: string; metadata: { [key: string]: Json } }

/** Authorizes a call, executes it and reports its end. Never throws; a stop is the call's error too. */
export async function runCall(context: CallContext): Promise<{ output: string; isError: boolean }> {
  const { call, host, spec, signal, emit } = context;
  const { callId } = call;
  const failed = (kind: ToolFailure, error: string): { output: string; isError: boolean } => {
    emit({ type: "tool.error", callId, kind, error });
    return { output: error, isError: true };
  };
  try {
    if (spec.surface === "project") {
      const answer = await untilStop(host.authorize(call), signal);
      if (!answer.allow) return failed(answer.kind, answer.message);
    }
    signal.throwIfAborted();
    emit({ type: "tool.start", callId });
    const { output, metadata } = await execute(context);
    signal.throwIfAborted();
    emit({ type: "tool.end", callId, output, metadata });
    return { output, isError: false };
  } catch (thrown) {
    if (signal.aborted) return failed("aborted", "the call was stopped");
    const kind = (thrown as { code?: unknown }).code === "denied" ? "rejected" : "failed";
    return failed(kind, (thrown as Error).message);
  }
}

async function execute({ call, given, via, host, spec, signal, emit }: CallContext): Promise<Result> {
  const { tool, input, callId } = call;
  if (given !== null) {
    await nextTick();
    if (given.isError) throw new Error(given.text);
    return { output: given.text, metadata: {} };
  }
  if (via === "host" || spec.agents.hostTools.some(({ name }) => name === tool)) return await untilStop(host.runTool(call, signal), signal);
  switch (tool) {
    case "bash": {
      const { output, exitCode } = await runCommand(String(input["command"]), {
        cwd: spec.workspace, env: spec.commandEnv, signal,
        onOutput: (soFar) => emit({ type: "tool.progress", callId, metadata: { output: soFar } }),
      });
      return { output, metadata: { exitCode } };
    }
    case "read":
      return { output: await readFile(inside(spec.workspace, input["path"]), "utf8"), metadata: {} };
    case "write": {
      const path = inside(spec.workspace, input["path"]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, String(input["content"]));
      return { output: `wrote ${path}`, metadata: {} };
    }
    case "question": {
      const questions = input["questions"] as QuestionItem[];
      const answers = await untilStop(host.ask(call, questions), signal);
      const lines = questions.map((question, index) => `${question.header}: ${(answers[index] ?? []).join(", ")}`);
      return { output: ["User answered:", ...lines].join("\n"), metadata: { answers } };
    }
    default:
      throw new Error(`there is no tool "${tool}"`);
  }
}

function inside(workspace: string, path: unknown): string {
  const target = resolve(workspace, String(path));
  if (target !== workspace && !target.startsWith(workspace + sep)) throw new Error(`${String(path)} is outside the workspace`);
  return target;
}

/** The promise, or the signal's reason as soon as there is one: a stop never waits for the host. */
async function untilStop<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let leave: (() => void) | undefined;
  const stop = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([promise, stop]);
  } finally {
    if (leave !== undefined) signal.removeEventListener("abort", leave);
  }
}
