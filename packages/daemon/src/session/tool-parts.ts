import { newId } from "@beeuni/protocol";
import type { HarnessEvent } from "@beeuni/harness";
import type { SessionState, ToolPart } from "@beeuni/transcript";
import type { Checkpoint } from "./checkpoints.ts";
import type { Journal } from "./journal.ts";

type ToolEvent = Extract<HarnessEvent, { type: `tool.${string}` }>;
type ToolMetadata = Extract<ToolEvent, { type: "tool.progress" }>["metadata"];

/**
 * The tool calls of the session by call id. A call moves pending → running → completed or error and never back: a late or
 * repeated event changes nothing.
 */
export class ToolParts {
  readonly #journal: Journal;
  readonly #checkpoint: Checkpoint;
  readonly #parts = new Map<string, ToolPart>();
  /** Newest metadata of running calls that is not in the log yet. */
  readonly #progress = new Map<string, ToolMetadata>();

  constructor(journal: Journal, checkpoint: Checkpoint) {
    this.#journal = journal;
    this.#checkpoint = checkpoint;
    for (const session of Object.values(journal.log.state.sessions)) this.#learn(session);
  }

  /** The part of a call, as far as the harness has reported it. */
  get(callId: string): ToolPart | undefined {
    return this.#parts.get(callId);
  }

  /** The model asked for a tool in `message`. */
  called(event: Extract<ToolEvent, { type: "tool.call" }>, session: string, message: string): void {
    if (this.#parts.has(event.callId)) return;
    this.#write({
      id: newId("prt"), session, message, type: "tool", tool: event.tool, callId: event.callId,
      state: { status: "pending", input: event.input },
    });
    this.#journal.whenFlushed(() => this.#checkpoint("tool-called"));
  }

  /** False when nothing is known of the call. */
  update(event: Exclude<ToolEvent, { type: "tool.call" }>): boolean {
    const part = this.#parts.get(event.callId);
    if (part === undefined) return false;
    const { state } = part;
    if (state.status === "completed" || state.status === "error") return true;
    const now = this.#journal.now();
    const startedAt = state.status === "running" ? state.startedAt : now;
    switch (event.type) {
      case "tool.start":
        if (state.status === "running") return true;
        this.#write({ ...part, state: { status: "running", input: state.input, startedAt } });
        this.#journal.whenFlushed(() => this.#checkpoint("tool-running"));
        return true;
      case "tool.progress":
        this.#progress.set(event.callId, event.metadata);
        return true;
      case "tool.end":
        this.#over({ ...part, state: { status: "completed", input: state.input, output: event.output, metadata: event.metadata, startedAt, endedAt: now } });
        return true;
      case "tool.error":
        this.#over({
          ...part,
          state: {
            status: "error", input: state.input, kind: event.kind, error: event.error, endedAt: now,
            ...(state.status === "running" ? { startedAt } : {}),
            ...(event.metadata === undefined ? {} : { metadata: event.metadata }),
          },
        });
        return true;
    }
  }

  /** Whether a running call has news that `writeProgress` would log. */
  get hasProgress(): boolean {
    return this.#progress.size > 0;
  }

  /** Logs the newest metadata of running calls. */
  writeProgress(): void {
    for (const [callId, metadata] of this.#progress) {
      const part = this.#parts.get(callId);
      if (part === undefined || part.state.status === "completed" || part.state.status === "error") continue;
      const startedAt = part.state.status === "running" ? part.state.startedAt : this.#journal.now();
      this.#write({ ...part, state: { status: "running", input: part.state.input, startedAt, metadata } });
    }
    this.#progress.clear();
  }

  /** The host ended these parts itself: later events of theirs are late. */
  closed(parts: readonly string[]): void {
    if (parts.length === 0) return;
    for (const session of Object.values(this.#journal.log.state.sessions)) this.#learn(session);
  }

  #over(part: ToolPart): void {
    this.#progress.delete(part.callId);
    this.#write(part);
    this.#journal.whenFlushed(() => this.#checkpoint("tool-ended"));
  }

  #write(part: ToolPart): void {
    this.#parts.set(part.callId, part);
    this.#journal.append({ type: "part.updated", session: part.session, part });
  }

  #learn(session: SessionState): void {
    for (const { parts } of session.messages) {
      for (const part of parts) if (part.type === "tool") this.#parts.set(part.callId, part);
    }
  }
}
