import { fields, parseJson, type Fields } from "../wire/fields.ts";
import { diffSequence, type Change } from "./diff-sequence.ts";
import { firstDifference, type Difference } from "./first-difference.ts";
import { DIFFABLE_PROTOCOLS, requestSections, type Element, type RequestSections } from "./request-sections.ts";

export interface RequestText {
  protocol: string;
  /** Decoded body. */
  body: string;
}

/** A field of the request beside tools, system and messages; the side that lacks it has no value. */
export interface ParameterChange {
  name: string;
  before?: unknown;
  after?: unknown;
}

/**
 * What the later prompt shares with the earlier one from its start, in the order of a provider's cache: tools, system,
 * messages. Counts are elements. `breaksAt` is the first place that differs; null: the earlier prompt is a prefix of the later.
 */
export interface SharedPrefix {
  tools: number;
  system: number;
  messages: number;
  breaksAt: ({ section: "model" } | ({ section: "tools" | "system" | "messages"; index: number } & Difference)) | null;
}

export type RequestDiff =
  | { comparable: false; why: string }
  | {
    comparable: true;
    protocol: string;
    tools: Change[];
    system: Change[];
    messages: Change[];
    parameters: ParameterChange[];
    prefix: SharedPrefix;
  };

/** How a request differs from the one before it. Pure; nothing about how to show it. */
export function diffRequests(before: RequestText, after: RequestText): RequestDiff {
  if (before.protocol !== after.protocol) {
    return { comparable: false, why: `the requests speak different protocols: ${before.protocol} and ${after.protocol}` };
  }
  if (!DIFFABLE_PROTOCOLS.includes(after.protocol)) {
    return { comparable: false, why: `requests of ${after.protocol} hold no messages to compare` };
  }
  const bodies = { earlier: parseObject(before.body), later: parseObject(after.body) };
  const broken = (["earlier", "later"] as const).filter((side) => bodies[side] === undefined);
  if (bodies.earlier === undefined || bodies.later === undefined) {
    const which = broken.length === 2 ? "neither request's body is" : `the ${broken[0]} request's body is not`;
    return { comparable: false, why: `${which} a JSON object` };
  }
  const old = requestSections(before.protocol, bodies.earlier);
  const now = requestSections(after.protocol, bodies.later);
  return {
    comparable: true,
    protocol: after.protocol,
    tools: diffSequence(old.tools, now.tools),
    system: diffSequence(old.system, now.system),
    messages: diffSequence(old.messages, now.messages),
    parameters: diffParameters(old.parameters, now.parameters),
    prefix: sharedPrefix(old, now),
  };
}

function parseObject(text: string): Fields | undefined {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? fields(value) : undefined;
}

function diffParameters(before: { [name: string]: unknown }, after: { [name: string]: unknown }): ParameterChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const change: ParameterChange = { name };
    if (Object.hasOwn(before, name)) change.before = before[name];
    if (Object.hasOwn(after, name)) change.after = after[name];
    return firstDifference(change.before, change.after) === null ? [] : [change];
  });
}

function sharedPrefix(before: RequestSections, after: RequestSections): SharedPrefix {
  const prefix: SharedPrefix = { tools: 0, system: 0, messages: 0, breaksAt: null };
  if (firstDifference(before.parameters["model"], after.parameters["model"]) !== null) {
    prefix.breaksAt = { section: "model" };
    return prefix;
  }
  for (const section of ["tools", "system", "messages"] as const) {
    const old = before[section];
    const now = after[section];
    const shared = sharedElements(old, now);
    prefix[section] = shared;
    // More messages go on behind the earlier prompt; one more tool or system block stands before its messages.
    const whole = shared === old.length && (section === "messages" || old.length === now.length);
    if (whole) continue;
    const difference = firstDifference(old[shared]?.canonical, now[shared]?.canonical) ?? { path: "" };
    prefix.breaksAt = { section, index: shared, ...difference };
    return prefix;
  }
  return prefix;
}

function sharedElements(before: readonly Element[], after: readonly Element[]): number {
  let count = 0;
  while (count < before.length && count < after.length && before[count]!.key === after[count]!.key) count++;
  return count;
}
