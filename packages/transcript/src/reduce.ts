import type { LogEvent, PartDelta } from "./events.ts";
import { applyEvent } from "./fold/apply.ts";
import { Draft } from "./fold/draft.ts";
import { isStreaming } from "./fold/part-events.ts";
import type { TreeState } from "./state.ts";

/**
 * The draft that made a state carries on from it, with its look-up tables, so that folding one event after the other costs
 * what the event costs. Any other state (older, or from JSON) begins a draft of its own.
 */
const makers = new WeakMap<TreeState, Draft>();

function draftOf(state: TreeState): Draft {
  const maker = makers.get(state);
  return maker !== undefined && maker.peek === state ? maker : new Draft(state);
}

function take(draft: Draft): TreeState {
  const state = draft.take();
  makers.set(state, draft);
  return state;
}

/**
 * The state after one more event of the log. Pure: `state` stays as it is, and what the event doesn't touch is shared.
 * - An event with a number up to `state.seq` changes nothing (the same object comes back).
 * - An event of an unknown type moves the number and nothing else.
 * - An event with the number 0 is not of the log (the text so far of a part in flight): it is applied and moves no number.
 */
export function reduce(state: TreeState, event: LogEvent): TreeState {
  const draft = draftOf(state);
  applyEvent(draft, event);
  return take(draft);
}

/** The same for a run of events, with one hand-out at the end. */
export function reduceAll(state: TreeState, events: Iterable<LogEvent>): TreeState {
  const draft = draftOf(state);
  for (const event of events) applyEvent(draft, event);
  return take(draft);
}

/**
 * How a delta fits the text that is there:
 * `next` it adds text · `known` its text is there already, or the part has ended · `gap` text before it is missing, or the
 * part is not known: ask for the part again.
 */
export type DeltaFit = "next" | "known" | "gap";

export function deltaFit(state: TreeState, { session, part, offset, delta }: PartDelta): DeltaFit {
  const known = draftOf(state).part(session, part);
  if (known === undefined) return "gap";
  if (!isStreaming(known) || offset + delta.length <= known.text.length) return "known";
  return offset > known.text.length ? "gap" : "next";
}

/**
 * The state with a streamed part's text grown by the delta. Only text beyond the end of what is there is added, so that
 * applying a delta twice changes nothing; a delta that leaves a gap changes nothing either (`deltaFit` tells).
 */
export function applyDelta(state: TreeState, delta: PartDelta): TreeState {
  const draft = draftOf(state);
  const known = draft.part(delta.session, delta.part);
  if (known === undefined || !isStreaming(known)) return state;
  const { length } = known.text;
  if (delta.offset > length || delta.offset + delta.delta.length <= length) return state;
  draft.putPart(draft.session(delta.session)!, { ...known, text: known.text + delta.delta.slice(length - delta.offset) });
  return take(draft);
}
