import assert from "node:assert/strict";
import type { SdkEvent, SdkMessage, SdkPermission, SdkQuestion, WireClient } from "./wire-client.ts";

/** Prompts that make a harness do these things, in its own words. */
export interface WirePrompts {
  /** The text "hello there". */
  text: string;
  /** Runs `echo <word>`, then says "done". */
  shell: (word: string) => string;
  /** Calls the project's tool `greet` with {"name": "Ann", "times": 2}, then says "done". */
  host: string;
  /** Asks "Which colour?" with the choices red and blue, then says "thanks". */
  question: string;
  /** Streams a text that starts with "begun" and does not end. */
  hang: string;
}

/** What a client of the wire saw. */
export interface WireReport {
  /** Per part of the script: events in short, see `inShort`. */
  events: { [part: string]: string[] };
  /** Per part: the session's messages of that part, in short. */
  messages: { [part: string]: string[] };
  /** The call of the project's tool, whole but for its ids, its times and `truncated`, which some harnesses note. */
  hostCall: unknown;
}

/**
 * A program's work with a session: create, prompt, stream, permission once, always and reject, questions, abort, messages,
 * list, delete. It asserts what holds on every harness and reports order and kinds of what it saw.
 */
export async function wireScript(client: WireClient, prompts: WirePrompts): Promise<WireReport> {
  const report: WireReport = { events: {}, messages: {}, hostCall: null };
  const leave = new AbortController();
  const watched = new Watched(await client.events(leave.signal));
  const session = await client.create("By a program");
  assert.deepEqual([session.title, (await client.get(session.id)).id], ["By a program", session.id]);
  const created = await watched.next(({ type }) => type === "session.created");
  assert.ok(created.type === "session.created");
  assert.deepEqual(created.properties.info, session);
  let known = 0;
  const part = async (name: string, run: () => Promise<void>): Promise<SdkMessage[]> => {
    watched.forget();
    await run();
    await watched.next(({ type }) => type === "session.idle");
    const messages = await client.messages(session.id);
    const fresh = messages.slice(known);
    known = messages.length;
    report.events[name] = inShort(watched.seen, session.id);
    report.messages[name] = fresh.map(messageInShort);
    assert.deepEqual(watched.folded(session.id).slice(-fresh.length), fresh, `${name}: what the events told is what the session holds`);
    return fresh;
  };
  const asks = async (text: string, reply: "once" | "always" | "reject"): Promise<SdkPermission> => {
    const turn = client.prompt(session.id, text);
    const asked = await watched.next(({ type }) => type === "permission.asked");
    assert.ok(asked.type === "permission.asked");
    assert.equal((await client.status())[session.id]!.type, "busy");
    assert.equal(await client.permission(asked.properties, reply), true);
    await turn;
    return asked.properties;
  };

  await part("text", async () => {
    const answer = await client.prompt(session.id, prompts.text);
    assert.ok(answer.info.role === "assistant" && answer.info.time.completed !== undefined);
    assert.deepEqual(texts(answer), ["hello there"]);
  });
  await part("once", async () => {
    const request = await asks(prompts.shell("one"), "once");
    assert.deepEqual([request.permission, request.patterns, request.always, request.sessionID], ["bash", ["echo one"], ["echo *"], session.id]);
  });
  const rejected = await part("reject", async () => void (await asks(prompts.shell("two"), "reject")));
  assert.ok(rejected.some(({ parts }) => parts.some((held) => held.type === "tool" && held.state.status === "error")));
  await part("always", async () => void (await asks(prompts.shell("three"), "always")));
  const free = await part("stored", async () => void (await client.prompt(session.id, prompts.shell("four"))));
  assert.deepEqual(outputs(free), ["four"]);
  const [, greeting] = await part("host", async () => void (await client.prompt(session.id, prompts.host)));
  const call = greeting!.parts.find((held) => held.type === "tool");
  assert.ok(call?.type === "tool" && call.state.status === "completed");
  const { time: _time, metadata: { truncated: _truncated, ...metadata }, ...state } = call.state;
  report.hostCall = { tool: call.tool, state: { ...state, metadata } };
  for (const [name, reply] of [["answered", true], ["dismissed", false]] as const) {
    await part(name, async () => {
      await client.promptAsync(session.id, prompts.question);
      const asked = await watched.next(({ type }) => type === "question.asked");
      assert.ok(asked.type === "question.asked");
      const { questions }: SdkQuestion = asked.properties;
      assert.deepEqual(questions.map(({ question, options }) => [question, options.map(({ label }) => label)]), [["Which colour?", ["red", "blue"]]]);
      assert.equal(await (reply ? client.answer(asked.properties, [["red"]]) : client.dismiss(asked.properties)), true);
    });
  }
  const [, stopped] = await part("abort", async () => {
    const turn = client.prompt(session.id, prompts.hang);
    await watched.next((event) => event.type === "message.part.delta");
    assert.equal(await client.abort(session.id), true);
    const { info } = await turn;
    assert.ok(info.role === "assistant" && info.error?.name === "MessageAbortedError");
  });
  assert.match(texts(stopped!).join(), /^begun/);
  assert.equal(await client.abort(session.id), true, "also when nothing runs");

  assert.deepEqual(await client.status(), {});
  assert.ok((await client.list()).some(({ id }) => id === session.id));
  assert.ok((await client.agents()).length > 0 && (await client.models()).includes("faux/demo"));
  assert.equal(await client.remove(session.id), true);
  await watched.next(({ type }) => type === "session.deleted");
  assert.ok(!(await client.list()).some(({ id }) => id === session.id));
  await assert.rejects(client.get(session.id), /there is no session/);
  leave.abort();
  return report;
}

function texts({ parts }: SdkMessage): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function outputs(messages: readonly SdkMessage[]): string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state.output.trim()] : [])));
}

/** A real harness on a busy machine answers well within it. */
const PATIENCE_MS = 60_000;

/** The events as a program collects them: in order, and folded into messages by id. */
class Watched {
  readonly seen: SdkEvent[] = [];
  readonly #all: SdkEvent[] = [];
  #read = 0;
  #wake: (() => void) | null = null;

  constructor(stream: AsyncIterable<SdkEvent>) {
    void (async () => {
      for await (const event of stream) {
        this.seen.push(event);
        this.#all.push(event);
        this.#wake?.();
      }
    })().catch(() => {});
  }

  forget(): void {
    this.seen.length = 0;
    this.#read = 0;
  }

  /** The next event that fits, from where the last search ended. */
  async next(fits: (event: SdkEvent) => boolean): Promise<SdkEvent> {
    const patience = setTimeout(() => {
      throw new Error(`no event ${fits.toString()} after ${this.seen.map(({ type }) => type).join(", ")}`);
    }, PATIENCE_MS);
    try {
      return await this.#next(fits);
    } finally {
      clearTimeout(patience);
    }
  }

  async #next(fits: (event: SdkEvent) => boolean): Promise<SdkEvent> {
    for (;;) {
      while (this.#read < this.seen.length) {
        const event = this.seen[this.#read++]!;
        if (fits(event)) return event;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  folded(session: string): SdkMessage[] {
    const messages = new Map<string, SdkMessage>();
    for (const event of this.#all) {
      if (event.type === "message.updated" && event.properties.sessionID === session) {
        const { info } = event.properties;
        messages.set(info.id, { info, parts: messages.get(info.id)?.parts ?? [] });
      } else if (event.type === "message.part.updated" && event.properties.part.sessionID === session) {
        const { part } = event.properties;
        const { parts } = messages.get(part.messageID)!;
        const at = parts.findIndex(({ id }) => id === part.id);
        parts[at === -1 ? parts.length : at] = part;
      } else if (event.type === "message.part.delta" && event.properties.sessionID === session) {
        const { messageID, partID, delta } = event.properties;
        const { parts } = messages.get(messageID)!;
        const at = parts.findIndex(({ id }) => id === partID);
        const part = parts[at]!;
        if (part.type === "text" || part.type === "reasoning") parts[at] = { ...part, text: part.text + delta };
      }
    }
    return [...messages.values()].sort((a, b) => (a.info.id < b.info.id ? -1 : 1));
  }
}

/**
 * Order and kinds of a session's events: what is repeated while text streams or a command prints stands once; ids, times,
 * texts, titles and costs are left out.
 */
export function inShort(events: readonly SdkEvent[], session: string): string[] {
  const lines = events
    .filter(({ properties }) => "sessionID" in properties && properties.sessionID === session)
    .map((event) => {
      switch (event.type) {
        case "session.status": return event.properties.status.type;
        case "message.updated": return infoInShort(event.properties.info);
        case "message.part.updated": return partInShort(event.properties.part);
        case "session.error": return `error ${event.properties.error?.name}`;
        case "permission.replied": return `permission.replied ${event.properties.reply}`;
        default: return event.type;
      }
    });
  return lines.filter((line, index) => line !== lines[index - 1]);
}

function messageInShort({ info, parts }: SdkMessage): string {
  return `${infoInShort(info)}: ${parts.map(partInShort).join(", ")}`;
}

function infoInShort(info: SdkMessage["info"]): string {
  if (info.role === "user") return "user";
  return ["assistant", info.finish, info.error?.name, info.time.completed === undefined ? "open" : "over"].filter((word) => word !== undefined).join(" ");
}

function partInShort(part: SdkMessage["parts"][number]): string {
  switch (part.type) {
    case "text": case "reasoning": return `${part.type}${part.time?.end === undefined ? "" : " whole"}`;
    case "tool": return `${part.tool} ${part.state.status}`;
    case "step-finish": return `step-finish ${part.reason}`;
    default: return part.type;
  }
}
