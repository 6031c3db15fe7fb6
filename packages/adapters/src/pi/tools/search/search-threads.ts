import { Worker } from "node:worker_threads";
import { ABORTED, ToolError } from "../tool.ts";
import type { FindRequest, SearchAnswer } from "./find-files.ts";
import type { LineRequest } from "./search-lines.ts";

export type SearchRequest = FindRequest | LineRequest;
/** What a thread answers: the result, or the text of what went wrong. */
export type SearchReply = { answer: SearchAnswer } | { error: string };

const TIMEOUT_MS = 30_000;
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

/**
 * Runs a session's searches on threads of their own: a large tree or an expression that backtracks for ever neither holds
 * up the process nor outlives the call. One idle thread is kept for the next search; starting one takes longer than most
 * searches.
 */
export class SearchThreads {
  #idle: Worker | null = null;
  #isClosed = false;

  async run(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
    if (signal.aborted) throw new ToolError("aborted", ABORTED);
    const worker = this.#idle ?? new Worker(WORKER, { env: {}, execArgv: [] });
    this.#idle = null;
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<SearchReply>();
    const onAbort = (): void => reject(new ToolError("aborted", ABORTED));
    const onError = (error: unknown): void => reject(new ToolError("failed", `The search failed: ${error instanceof Error ? error.message : String(error)}`));
    const timer = setTimeout(() => reject(new ToolError("failed", `The search took longer than ${TIMEOUT_MS / 1_000} s and was stopped. Narrow the pattern or the path.`)), TIMEOUT_MS);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("message", resolve).once("error", onError);
    try {
      worker.postMessage(request);
      const reply = await promise;
      await this.#keep(worker);
      if ("error" in reply) throw new ToolError("failed", `The search failed: ${reply.error}`);
      return reply.answer;
    } catch (error) {
      if (this.#idle !== worker) await worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      worker.off("message", resolve).off("error", onError);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = this.#idle;
    this.#idle = null;
    await idle?.terminate();
  }

  async #keep(worker: Worker): Promise<void> {
    if (this.#isClosed || this.#idle !== null) {
      await worker.terminate();
      return;
    }
    this.#idle = worker;
    worker.unref();
  }
}
