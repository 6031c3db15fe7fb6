import { newId } from "@beeuni/protocol";
import type { TextPart } from "@beeuni/transcript";
import type { EventHub } from "../stream/event-hub.ts";
import type { Journal } from "./journal.ts";

/**
 * The texts that are being streamed. Deltas go to the hub at once; the log gets the whole text when the part ends, and
 * snapshots in between (see `writeSnapshots`).
 */
export class TextParts {
  readonly #journal: Journal;
  readonly #hub: EventHub;
  readonly #open = new Map<string, TextPart>();
  /** Parts with text that the log does not have yet. */
  readonly #dirty = new Set<string>();

  constructor(journal: Journal, hub: EventHub) {
    this.#journal = journal;
    this.#hub = hub;
  }

  /** Creates the part and answers its id. */
  begin(session: string, message: string, kind: TextPart["type"]): string {
    const part: TextPart = { id: newId("prt"), session, message, type: kind, text: "", startedAt: this.#journal.now() };
    const [created] = this.#journal.append({ type: "part.updated", session, part });
    if (created === undefined) return part.id;
    this.#open.set(part.id, part);
    this.#hub.begin(session, part.id, created.seq);
    return part.id;
  }

  /** False when the part is not open. */
  delta(part: string, delta: string): boolean {
    if (!this.#open.has(part)) return false;
    if (delta === "") return true;
    this.#dirty.add(part);
    this.#hub.delta(part, delta);
    return true;
  }

  /** `text` is the final text; what was streamed when left out. */
  end(id: string, text?: string): void {
    const part = this.#open.get(id);
    if (part === undefined) return;
    this.#open.delete(id);
    this.#dirty.delete(id);
    this.#journal.append({
      type: "part.updated", session: part.session,
      part: { ...part, text: text ?? this.#hub.textOf(id) ?? "", endedAt: this.#journal.now() },
    });
  }

  /** Ends what a message left open. */
  endOf(message: string): void {
    for (const part of [...this.#open.values()]) if (part.message === message) this.end(part.id);
  }

  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** Logs the text so far of every part that grew. */
  writeSnapshots(): void {
    for (const id of this.#dirty) {
      const part = this.#open.get(id);
      if (part === undefined) continue;
      const [written] = this.#journal.append({ type: "part.snapshot", session: part.session, part: id, text: this.#hub.textOf(id) ?? "" });
      if (written !== undefined) this.#hub.snapshot(id, written.seq);
    }
    this.#dirty.clear();
  }

  /** The host ended these parts itself: later text of theirs is late. */
  closed(parts: readonly string[]): void {
    for (const part of parts) {
      this.#open.delete(part);
      this.#dirty.delete(part);
    }
  }
}
