import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { effortVariants } from "../providers/known.ts";
import { encodeRefusal } from "../refusal.ts";
import type { Provider } from "../types.ts";
import type { HeaderPair, Upstream, UpstreamRequest, UpstreamRun, UpstreamSink } from "../upstream.ts";
import { encodeMessage, encodeStream } from "./chat-reply.ts";
import { readChatRequest, type ChatRequest } from "./chat-request.ts";
import type { Reply } from "./conversation.ts";
import { planReply } from "./plan.ts";

export interface FauxOptions {
  /** A client left before its answer was whole. */
  onDisconnect?: (gone: FauxDisconnect) => void;
}

export interface FauxDisconnect {
  caller: string;
  /** Whether the answer's head was out. */
  moment: "before-head" | "in-body";
}

/**
 * `faux/demo`: a model that is scripted by the prompt itself (see directives.ts), so that everything around a model can
 * be driven with no key and no network. It is chosen by name only.
 */
export function fauxProvider(options: FauxOptions = {}): Provider {
  return {
    id: "faux",
    label: "Faux (scripted, no model)",
    serve: fauxUpstream(options),
    protocols: ["chat-completions"],
    models: [{
      id: "demo", name: "Faux demo", contextWindow: 200_000, maxOutput: 16_384, reasoning: true, images: true,
      variants: effortVariants("low", "medium", "high"),
    }],
    closed: true,
    origin: "built in",
  };
}

/** The faux model as an upstream: the gateway's in process, and the one behind the stand-alone server. */
export function fauxUpstream(options: FauxOptions = {}): Upstream {
  // The only memory: how often a request came that its script wants refused so many times.
  const seen = new Map<string, number>();
  return (request, sink) => {
    const run = new FauxRun(sink, () => options.onDisconnect?.({ caller: request.caller, moment: run.headSent ? "in-body" : "before-head" }));
    sink.attempt();
    void run.answer(request, (key) => countSeen(seen, key));
    return run;
  };
}

function countSeen(seen: Map<string, number>, key: string): number {
  const before = seen.get(key) ?? 0;
  if (seen.size > 1000) seen.clear();
  seen.set(key, before + 1);
  return before;
}

class FauxRun implements UpstreamRun {
  headSent = false;
  readonly #sink: UpstreamSink;
  readonly #onDisconnect: () => void;
  readonly #gone = new AbortController();
  #wake: (() => void) | undefined;

  constructor(sink: UpstreamSink, onDisconnect: () => void) {
    this.#sink = sink;
    this.#onDisconnect = onDisconnect;
  }

  resume(): void {
    this.#wake?.();
  }

  abort(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    this.#wake?.();
    this.#onDisconnect();
  }

  async answer(request: UpstreamRequest, timesSeen: (key: string) => number): Promise<void> {
    // The caller has its run before anything is reported.
    await this.#pause(0);
    const body = request.body.toString("utf8");
    const read = readChatRequest(body);
    if ("error" in read) return this.#error({ kind: "error", status: 400, message: read.error, retryAfter: null });
    const key = createHash("sha256").update(request.caller).update("\0").update(body).digest("base64");
    const reply = planReply(read.request.conversation, () => timesSeen(key));
    if (reply.kind === "hang") return;
    if (reply.kind === "error") return this.#error(reply);
    await (read.request.stream ? this.#stream(reply, read.request) : this.#whole(reply, read.request));
  }

  #error(reply: Extract<Reply, { kind: "error" }>): void {
    const { headers, body } = encodeRefusal("chat-completions", {
      status: reply.status, code: `faux_${reply.status}`, message: reply.message, ...(reply.retryAfter === null ? {} : { retryAfter: reply.retryAfter }),
    });
    if (this.#gone.signal.aborted) return;
    this.#head(reply.status, headers);
    this.#sink.data(body);
    this.#sink.end();
  }

  async #whole(reply: Extract<Reply, { kind: "message" }>, request: ChatRequest): Promise<void> {
    await this.#pause(reply.pause);
    if (this.#gone.signal.aborted) return;
    const body = Buffer.from(encodeMessage(reply, request));
    this.#head(200, [["content-type", "application/json"], ["content-length", String(body.length)]]);
    if (reply.cut) {
      this.#sink.data(body.subarray(0, body.length >> 1));
      return this.#sink.fail("scripted cut");
    }
    this.#sink.data(body);
    this.#sink.end();
  }

  async #stream(reply: Extract<Reply, { kind: "message" }>, request: ChatRequest): Promise<void> {
    const events = [...encodeStream(reply, request)];
    const shown = reply.cut ? events.slice(0, Math.max(1, events.length >> 1)) : events;
    this.#head(200, [["content-type", "text/event-stream; charset=utf-8"], ["cache-control", "no-cache"]]);
    for (const [index, event] of shown.entries()) {
      // Each event is a write of its own, with a turn of the loop between them: the stream is seen to stream.
      if (index > 0) await this.#pause(reply.pause);
      if (this.#gone.signal.aborted) return;
      if (!this.#sink.data(Buffer.from(event))) await this.#drained();
      if (this.#gone.signal.aborted) return;
    }
    if (reply.cut) this.#sink.fail("scripted cut");
    else this.#sink.end();
  }

  #head(status: number, headers: HeaderPair[]): void {
    this.headSent = true;
    this.#sink.head(status, STATUS_CODES[status] ?? "", headers);
  }

  /** Seconds; resolves early when the client is gone. */
  async #pause(seconds: number): Promise<void> {
    if (seconds === 0) await nextTurn();
    else await sleep(seconds * 1000, undefined, { signal: this.#gone.signal }).catch(() => {});
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}
