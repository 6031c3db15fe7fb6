import { BeeuniError } from "@beeuni/protocol";
import { boundOutput } from "./bound-output.ts";
import type { LoadedTool, RunToolOptions, ToolContext, ToolOutput } from "./tool.ts";

/** How long a stopped tool may take to end by itself before its promise is left alone. */
const STOP_GRACE_MS = 100;

/**
 * Runs one call of a tool. Rejects with what the tool threw (always an Error; its message is for the model), or with
 * `aborted` once `context.signal` fires, whether the tool returns or not. There is no time limit of its own.
 */
export async function runTool(tool: LoadedTool, args: { [key: string]: unknown } | undefined, context: ToolContext, options: RunToolOptions): Promise<ToolOutput> {
  const aborted = (): BeeuniError => new BeeuniError("aborted", `the turn was stopped while ${tool.name} was running`);
  if (context.signal.aborted) throw aborted();
  const running = Promise.resolve()
    .then(() => tool.execute(args ?? {}, { ...context, env: Object.freeze({ ...context.env }) }))
    .then(resultText);
  const stopped = new Promise<"stopped">((resolve) => context.signal.addEventListener("abort", () => resolve("stopped"), { once: true }));
  const outcome = await Promise.race([settle(running), stopped]);
  if (outcome === "stopped") {
    if (!(await endsWithin(STOP_GRACE_MS, running))) options.onAbandoned?.(tool.name);
    throw aborted();
  }
  if (context.signal.aborted) throw aborted();
  if ("error" in outcome) throw outcome.error;
  return boundOutput(tool.name, outcome.text, options.outputDirectory);
}

/** The result as the model reads it: a text as it is, undefined the empty text, the rest as JSON. */
export function resultText(result: unknown): string {
  if (typeof result === "string") return result;
  if (result === undefined) return "";
  return JSON.stringify(result, null, 2) ?? "";
}

async function settle(running: Promise<string>): Promise<{ text: string } | { error: Error }> {
  try {
    return { text: await running };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }
}

async function endsWithin(milliseconds: number, running: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([running.then(() => true, () => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
