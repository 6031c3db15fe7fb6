import type { Message, Part } from "../parts.ts";
import type { SessionState, TreeState } from "../state.ts";

/**
 * A tree state that is being changed. Whatever was handed out stays as it is: each object and array is copied before its
 * first change after a hand-out, and only what changes is copied. So a run of events costs what the events cost, and not
 * the session's length each.
 */
export class Draft {
  #tree: TreeState;
  /** Made by this draft since the last hand-out: free to be written. */
  #own = new Set<object>();
  /** Per session: message id → its place, part id → its message's place and its own. Built at first need. */
  readonly #places = new Map<string, Places>();

  constructor(base: TreeState) {
    this.#tree = base;
  }

  /** The state as it is, for reading within an event; not to be kept. */
  get peek(): TreeState {
    return this.#tree;
  }

  /** Hands the state out. Later changes happen on copies. */
  take(): TreeState {
    this.#own.clear();
    return this.#tree;
  }

  tree(): TreeState {
    return (this.#tree = this.own(this.#tree));
  }

  /** The session, ready to be written; undefined when there is none of that id. */
  session(id: string): SessionState | undefined {
    if (!Object.hasOwn(this.#tree.sessions, id)) return undefined;
    const tree = this.tree();
    tree.sessions = this.own(tree.sessions);
    return (tree.sessions[id] = this.own(tree.sessions[id]!));
  }

  /** `value` itself if it may be written, else a copy that may. */
  own<T extends object>(value: T): T {
    if (this.#own.has(value)) return value;
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as T;
    this.#own.add(copy);
    return copy;
  }

  message(session: string, id: string): SessionState["messages"][number] | undefined {
    const at = this.#placesOf(session)?.messages.get(id);
    return at === undefined ? undefined : this.#tree.sessions[session]!.messages[at];
  }

  part(session: string, id: string): Part | undefined {
    const places = this.#placesOf(session);
    const at = places?.parts.get(id);
    return at === undefined ? undefined : this.#tree.sessions[session]!.messages[at.message]!.parts[at.part];
  }

  addMessage(session: SessionState, info: Message): void {
    const places = this.#placesOf(session.info.id);
    session.messages = this.own(session.messages);
    places?.messages.set(info.id, session.messages.push(this.own({ info, parts: [] })) - 1);
  }

  setMessage(session: SessionState, info: Message): void {
    const at = this.#placesOf(session.info.id)?.messages.get(info.id);
    if (at !== undefined) this.#messageAt(session, at).info = info;
  }

  removeMessage(session: SessionState, id: string): void {
    session.messages = session.messages.filter(({ info }) => info.id !== id);
    this.#places.delete(session.info.id);
  }

  /** A new part at the end of its message, or the new state of a known one. Nothing when the message is not there. */
  putPart(session: SessionState, part: Part): void {
    const places = this.#placesOf(session.info.id);
    const known = places?.parts.get(part.id);
    const at = known?.message ?? places?.messages.get(part.message);
    if (places === undefined || at === undefined) return;
    const message = this.#messageAt(session, at);
    message.parts = this.own(message.parts);
    if (known !== undefined) message.parts[known.part] = part;
    else places.parts.set(part.id, { message: at, part: message.parts.push(part) - 1 });
  }

  #messageAt(session: SessionState, at: number): SessionState["messages"][number] {
    session.messages = this.own(session.messages);
    return (session.messages[at] = this.own(session.messages[at]!));
  }

  #placesOf(session: string): Places | undefined {
    const known = this.#places.get(session);
    if (known !== undefined) return known;
    if (!Object.hasOwn(this.#tree.sessions, session)) return undefined;
    const places = placesIn(this.#tree.sessions[session]!);
    this.#places.set(session, places);
    return places;
  }
}

interface Places {
  messages: Map<string, number>;
  parts: Map<string, { message: number; part: number }>;
}

function placesIn(session: SessionState): Places {
  const places: Places = { messages: new Map(), parts: new Map() };
  session.messages.forEach(({ info, parts }, message) => {
    places.messages.set(info.id, message);
    parts.forEach((part, index) => places.parts.set(part.id, { message, part: index }));
  });
  return places;
}
