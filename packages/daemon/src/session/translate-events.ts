import { newId } from "@beeuni/protocol";
import type { HarnessEvent } from "@beeuni/harness";
import type { AssistantMessage } from "@beeuni/transcript";
import type { EventHub } from "../stream/event-hub.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { Binding } from "./binding.ts";
import type { Checkpoint } from "./checkpoints.ts";
import { closeOpenItems, type Closing } from "./close-open-items.ts";
import type { Journal } from "./journal.ts";
import { TextParts } from "./text-parts.ts";
import { ToolParts } from "./tool-parts.ts";

/** Events of a turn; `turn.start` and `turn.end` are the turn queue's. */
export type ContentEvent = Exclude<HarnessEvent, { type: "turn.start" | "turn.end" | "session.bound" }>;

export interface TranslatorPorts {
  journal: Journal;
  hub: EventHub;
  binding: () => Binding;
  checkpoint: Checkpoint;
  /** Something that a developer of an adapter wants to know. */
  warn: (message: string) => void;
}

/** Text is at most 250 ms ahead of the log; the write itself gets the rest of that. */
export const SNAPSHOT_MS = 200;

/**
 * Turns what a harness reports into events of the log. Messages, parts and calls are known by the harness's stable
 * keys: a repeated event changes nothing, and one that belongs to no turn is refused with a warning.
 */
export class Translator {
  readonly #ports: TranslatorPorts;
  readonly #texts: TextParts;
  readonly tools: ToolParts;
  /** Assistant messages that have not ended, by our id. */
  readonly #open = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: TranslatorPorts) {
    this.#ports = ports;
    this.#texts = new TextParts(ports.journal, ports.hub);
    this.tools = new ToolParts(ports.journal, ports.checkpoint);
  }

  handle(event: ContentEvent, turn: ActiveTurn | undefined): void {
    if (event.type === "notice") {
      const { level, code, message } = event;
      this.#ports.journal.append({ type: "session.notice", session: this.#ports.journal.session, level, code, message });
      return;
    }
    if (turn === undefined) {
      this.#ports.warn(`${event.type} came outside of a turn and was left out`);
      return;
    }
    switch (event.type) {
      case "message.start": return this.#messageStart(event, turn);
      case "message.end": return this.#messageEnd(event);
      case "part.start": return this.#partStart(event);
      case "part.delta": return this.#partDelta(event, turn);
      case "part.end": return this.#partEnd(event);
      case "tool.call": {
        const message = this.#openMessage(event);
        if (message !== undefined) this.tools.called(event, this.sessionOf(event), message);
        return;
      }
      case "tool.start": case "tool.progress": case "tool.end": case "tool.error":
        if (!this.tools.update(event)) this.#ports.warn(`${event.type} of the unknown call ${event.callId} was left out`);
        if (this.tools.hasProgress) this.#schedule();
        return;
      case "retry": {
        const { attempt, message, nextAt } = event;
        this.#ports.journal.append({ type: "turn.retry", session: this.sessionOf(event), turn: turn.id, attempt, message, nextAt });
        return;
      }
    }
  }

  /** Ends what the turn left open (see `closeOpenItems`). */
  closeTurn(closing: Closing): void {
    const { journal, hub } = this.#ports;
    for (const session of Object.values(journal.log.state.sessions)) {
      const { events, parts } = closeOpenItems(session, { ...closing, textOf: (part) => hub.textOf(part) });
      journal.append(...events);
      this.#texts.closed(parts);
      this.tools.closed(parts);
      for (const event of events) if (event.type === "message.updated") this.#open.delete(event.message);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #messageStart(event: Extract<ContentEvent, { type: "message.start" }>, turn: ActiveTurn): void {
    const { journal, checkpoint } = this.#ports;
    const key = keyOf(event);
    if (this.#ports.binding().messageOf(key) !== undefined) return;
    const session = this.sessionOf(event);
    const message: AssistantMessage = {
      id: newId("msg"), session, role: "assistant", turn: turn.id, at: journal.now(), agent: turn.agent,
      model: event.model ?? turn.model,
      ...(turn.prompt === undefined || event.child !== undefined ? {} : { parent: turn.prompt }),
    };
    this.#ports.binding().bindMessage(key, message.id);
    this.#open.add(message.id);
    journal.append({ type: "message.created", session, message });
    journal.whenFlushed(() => checkpoint("message-open"));
  }

  #messageEnd(event: Extract<ContentEvent, { type: "message.end" }>): void {
    const { journal, checkpoint } = this.#ports;
    const message = this.#ports.binding().messageOf(keyOf(event));
    if (message === undefined) return this.#ports.warn(`the unknown message ${event.key} ended`);
    if (!this.#open.delete(message)) return;
    this.#texts.endOf(message);
    const { usage, finish, responseId, error } = event;
    journal.append({
      type: "message.updated", session: this.sessionOf(event), message,
      patch: {
        endedAt: journal.now(), usage,
        ...(finish === null ? {} : { finish }), ...(responseId === null ? {} : { responseId }), ...(error === undefined ? {} : { error }),
      },
    });
    journal.whenFlushed(() => checkpoint("message-ended"));
  }

  #partStart(event: Extract<ContentEvent, { type: "part.start" }>): void {
    const binding = this.#ports.binding();
    const key = keyOf(event);
    if (binding.partOf(key) !== undefined) return;
    const message = this.#openMessage(event);
    if (message === undefined) return;
    binding.bindPart(key, this.#texts.begin(this.sessionOf(event), message, event.kind));
  }

  #partDelta(event: Extract<ContentEvent, { type: "part.delta" }>, turn: ActiveTurn): void {
    const part = this.#ports.binding().partOf(keyOf(event));
    if (part === undefined || !this.#texts.delta(part, event.delta)) return;
    if (this.#firstDeltaOf !== turn.id) {
      this.#firstDeltaOf = turn.id;
      this.#ports.checkpoint("first-delta");
    }
    this.#schedule();
  }
  #firstDeltaOf: string | undefined;

  #partEnd(event: Extract<ContentEvent, { type: "part.end" }>): void {
    const part = this.#ports.binding().partOf(keyOf(event));
    if (part !== undefined) this.#texts.end(part, event.text);
  }

  /** Our id of the message that a new part belongs to. Undefined when it has ended: the event is a repeat. */
  #openMessage(event: ContentEvent & { message: string }): string | undefined {
    const message = this.#ports.binding().messageOf(keyOf({ ...event, key: event.message }));
    if (message === undefined) this.#ports.warn(`${event.type} of the unknown message ${event.message} was left out`);
    return message !== undefined && this.#open.has(message) ? message : undefined;
  }

  /** The root, or the sub-agent's session that `child` names; made on first sight. */
  sessionOf({ child }: { child?: string }): string {
    const { journal, binding } = this.#ports;
    if (child === undefined) return journal.session;
    const known = binding().childOf(child);
    if (known !== undefined) return known;
    const id = newId("ses");
    const { info } = journal.state;
    const at = journal.now();
    binding().bindChild(child, id);
    journal.append({
      type: "session.created", session: id, format: "beeuni.transcript.v1",
      info: { ...info, id, parent: info.id, title: "sub-agent", createdAt: at, updatedAt: at },
    });
    return id;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const texts = this.#texts.isDirty;
      this.#texts.writeSnapshots();
      this.tools.writeProgress();
      if (texts) this.#ports.journal.whenFlushed(() => this.#ports.checkpoint("snapshot-written"));
    }, SNAPSHOT_MS);
  }
}

/** Keys are the harness's own per session of the tree. */
function keyOf({ child, key }: { child?: string; key: string }): string {
  return child === undefined ? key : `${child}/${key}`;
}
