import type { HarnessEvent } from "@beeuni/harness";

interface Seen { part: Map<string, { message: string; text: string; streamed: boolean; open: boolean }>; message: Map<string, boolean>; call: Map<string, "called" | "started" | "ended">; turn: Map<string, boolean> }

/**
 * What is wrong with the events of a session, in words; empty when they are well-formed and everything that was begun
 * has ended. Holds for every harness: the host relies on it.
 */
export function checkEvents(events: readonly HarnessEvent[]): string[] {
  const seen: Seen = { part: new Map(), message: new Map(), call: new Map(), turn: new Map() };
  const problems = events.flatMap((event, index) => checkEvent(event, seen).map((problem) => `event ${index + 1} (${event.type}): ${problem}`));
  const open = [
    ...[...seen.message].filter(([, isOpen]) => isOpen).map(([key]) => `message ${key}`),
    ...[...seen.part].filter(([, part]) => part.open).map(([key]) => `part ${key}`),
    ...[...seen.call].filter(([, state]) => state !== "ended").map(([key]) => `tool call ${key}`),
    ...[...seen.turn].filter(([, isOpen]) => isOpen).map(([key]) => `turn ${key}`),
  ];
  return [...problems, ...open.map((what) => `${what} was begun and never ended`)];
}

function checkEvent(event: HarnessEvent, seen: Seen): string[] {
  switch (event.type) {
    case "turn.start":
      return begin(seen.turn, event.key, "turn");
    case "turn.end":
      return end(seen.turn, event.key, "turn");
    case "message.start":
      return begin(seen.message, event.key, "message");
    case "message.end":
      return [
        ...end(seen.message, event.key, "message"),
        ...[...seen.part].filter(([, part]) => part.open && part.message === event.key).map(([key]) => `part ${key} is still open`),
        ...(event.error !== undefined && event.usage !== null ? ["a failed message reports usage, which can't be whole"] : []),
      ];
    case "part.start": {
      const isNew = !seen.part.has(event.key);
      seen.part.set(event.key, { message: event.message, text: "", streamed: false, open: true });
      return [...(isNew ? [] : [`part ${event.key} was begun before`]), ...(seen.message.get(event.message) === true ? [] : [`message ${event.message} is not open`])];
    }
    case "part.delta": {
      const part = seen.part.get(event.key);
      if (part === undefined || !part.open) return [`part ${event.key} is not open`];
      part.text += event.delta;
      part.streamed = true;
      return [];
    }
    case "part.end": {
      const part = seen.part.get(event.key);
      if (part === undefined || !part.open) return [`part ${event.key} is not open`];
      part.open = false;
      return !part.streamed || part.text === event.text ? [] : [`its text is ${JSON.stringify(event.text)}, its deltas were ${JSON.stringify(part.text)}`];
    }
    case "tool.call": {
      const known = seen.call.has(event.callId);
      seen.call.set(event.callId, "called");
      return [...(known ? [`call ${event.callId} is not new`] : []), ...(seen.message.has(event.message) ? [] : [`message ${event.message} is unknown`])];
    }
    case "tool.start":
      return step(seen.call, event.callId, ["called"], "started");
    case "tool.progress":
      return step(seen.call, event.callId, ["started"], "started");
    case "tool.end":
      return step(seen.call, event.callId, ["started"], "ended");
    case "tool.error":
      return step(seen.call, event.callId, ["called", "started"], "ended");
    default:
      return [];
  }
}

function begin(known: Map<string, boolean>, key: string, what: string): string[] {
  const problems = known.has(key) ? [`${what} ${key} was begun before`] : [];
  known.set(key, true);
  return problems;
}

function end(known: Map<string, boolean>, key: string, what: string): string[] {
  const problems = known.get(key) === true ? [] : [`${what} ${key} is not open`];
  known.set(key, false);
  return problems;
}

function step(calls: Seen["call"], callId: string, from: readonly string[], to: "started" | "ended"): string[] {
  const state = calls.get(callId);
  calls.set(callId, to);
  return state !== undefined && from.includes(state) ? [] : [`call ${callId} is ${state ?? "unknown"}`];
}
