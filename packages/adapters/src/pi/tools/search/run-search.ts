import { Worker } from "node:worker_threads";
import { ABORTED, ToolError } from "../tool.ts";
import type { FindRequest, SearchAnswer } from "./find-files.ts";
import type { LineRequest } from "./search-lines.ts";

const TIMEOUT_MS = 30_000;
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

/**
 * Runs a search on a thread of its own: a large tree or an expression that backtracks for ever neither holds up the
 * process nor outlives the call.
 */
export async function runSearch(request: FindRequest | LineRequest, signal: AbortSignal): Promise<SearchAnswer> {
  if (signal.aborted) throw new ToolError("aborted", ABORTED);
  const worker = new Worker(WORKER, { workerData: request, env: {}, execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>();
  const onAbort = (): void => reject(new ToolError("aborted", ABORTED));
  const timer = setTimeout(() => reject(new ToolError("failed", `The search took longer than ${TIMEOUT_MS / 1_000} s and was stopped. Narrow the pattern or the path.`)), TIMEOUT_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.once("message", resolve);
  worker.once("error", (error) => reject(new ToolError("failed", `The search failed: ${error instanceof Error ? error.message : String(error)}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}
