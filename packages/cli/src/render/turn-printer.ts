import type { StreamEvent, TextPart, ToolPart } from "@beeuni/transcript";
import type { Sink } from "../io.ts";
import { duration } from "./numbers.ts";
import { oneLine, visible } from "./plain.ts";
import { toolHeading, toolOutcome } from "./tool.ts";

/** Longest line of a tool's preview where the output has no width of its own. */
const PIPE_COLUMNS = 120;

/**
 * Prints a turn while it runs: the model's text as it streams, each tool call with its subject and the beginning of
 * its output. Retries and notices go to stderr. Deltas may come twice, late or not at all: every part is followed by
 * its length, and a snapshot or the whole part fills in what is missing.
 */
export class TurnPrinter {
  readonly #out: Sink;
  readonly #err: Sink;
  readonly #session: string;
  readonly #now: () => number;
  readonly #assistantMessages = new Set<string>();
  /** Part id → the text that was printed of it. */
  readonly #printed = new Map<string, string>();
  readonly #kinds = new Map<string, TextPart["type"]>();
  readonly #finishedTools = new Set<string>();
  /** The part whose lines are the last on the screen. */
  #current: string | null = null;
  #midLine = false;
  #lastBlock: "text" | "reasoning" | "tool" | null = null;

  constructor(session: string, out: Sink, err: Sink, now: () => number = Date.now) {
    this.#session = session;
    this.#out = out;
    this.#err = err;
    this.#now = now;
  }

  event(event: StreamEvent): void {
    if (event.session !== this.#session) return;
    switch (event.type) {
      case "message.created":
        if (event.message.role === "assistant") this.#assistantMessages.add(event.message.id);
        break;
      case "part.updated":
        if (!this.#assistantMessages.has(event.part.message)) break;
        if (event.part.type === "tool") this.#tool(event.part);
        else if (event.part.type !== "file") {
          this.#kinds.set(event.part.id, event.part.type);
          this.#whole(event.part.id, event.part.text);
        }
        break;
      case "part.snapshot":
        if (this.#kinds.has(event.part)) this.#whole(event.part, event.text);
        break;
      case "part.delta": {
        const before = this.#printed.get(event.part) ?? "";
        if (!this.#kinds.has(event.part) || event.offset > before.length) break;
        this.#text(event.part, event.delta.slice(before.length - event.offset));
        break;
      }
      case "turn.retry":
        this.note(`retrying in ${duration(event.nextAt - this.#now())} (attempt ${event.attempt}): ${oneLine(event.message)}`);
        break;
      case "session.notice":
        this.note(`${event.level === "info" ? "" : `${event.level}: `}${oneLine(event.message)}`);
        break;
    }
  }

  /** A line on stderr that never lands in the middle of the answer's line. */
  note(text: string): void {
    if (this.#midLine && this.#out.isTerminal && this.#err.isTerminal) this.#newline();
    this.#err.write(`beeuni: ${text}\n`);
  }

  /** The report below the turn, with an empty line in between when the turn printed anything. */
  report(lines: readonly string[]): void {
    this.#newline();
    if (this.#lastBlock !== null) this.#out.write("\n");
    for (const line of lines) this.#out.write(`${line}\n`);
    this.#current = null;
  }

  /** Text that is whole now. Prints what is missing; says it again if it is not what was streamed. */
  #whole(part: string, text: string): void {
    const before = this.#printed.get(part) ?? "";
    if (text.startsWith(before)) {
      this.#text(part, text.slice(before.length));
    } else if (!before.startsWith(text)) {
      this.#newline();
      this.#printed.set(part, "");
      this.#current = null;
      this.#text(part, text);
    }
  }

  #text(part: string, text: string): void {
    if (text === "") return;
    const reasoning = this.#kinds.get(part) === "reasoning";
    if (this.#current !== part) {
      this.#begin(this.#kinds.get(part)!);
      if (reasoning) this.#out.write(`${this.#out.colours.dim("○ thinking")}\n`);
      this.#current = part;
    }
    const before = this.#printed.get(part) ?? "";
    const safe = this.#out.isTerminal ? visible(text) : text;
    this.#out.write(reasoning ? this.#out.colours.dim(indented(safe, before === "" || !this.#midLine)) : safe);
    this.#midLine = !safe.endsWith("\n");
    this.#printed.set(part, before + text);
  }

  #tool(part: ToolPart): void {
    const { status } = part.state;
    if (status === "pending" || this.#finishedTools.has(part.id)) return;
    const columns = Math.min(this.#out.columns, PIPE_COLUMNS);
    const known = this.#printed.has(part.id);
    if (status === "running") {
      if (!known) this.#heading(part, columns);
      return;
    }
    const outcome = toolOutcome(part, columns, this.#out.colours);
    // Something else was printed since this call started: name it again above its output.
    if (!known || (this.#current !== part.id && outcome.length > 0)) this.#heading(part, columns);
    for (const line of outcome) this.#out.write(`${line}\n`);
    this.#finishedTools.add(part.id);
  }

  #heading(part: ToolPart, columns: number): void {
    this.#begin("tool");
    this.#out.write(`${toolHeading(part, columns, this.#out.colours)}\n`);
    this.#printed.set(part.id, "");
    this.#current = part.id;
  }

  /** A new block: on a line of its own, with an empty line between the model's words and its calls. */
  #begin(block: "text" | "reasoning" | "tool"): void {
    this.#newline();
    if (this.#lastBlock !== null && this.#lastBlock !== block) this.#out.write("\n");
    this.#lastBlock = block;
  }

  #newline(): void {
    if (!this.#midLine) return;
    this.#out.write("\n");
    this.#midLine = false;
  }
}

function indented(text: string, atLineStart: boolean): string {
  return (atLineStart ? "  " : "") + text.replace(/\n(?=[^\n])/g, "\n  ");
}
