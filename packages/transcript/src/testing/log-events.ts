import type { LogEvent, NewEvent } from "../events.ts";

/** Events as a log would number and time them. */
export function logEvents(events: readonly NewEvent[], firstSeq = 1): LogEvent[] {
  return events.map((event, index) => JSON.parse(JSON.stringify({ seq: firstSeq + index, at: 1000 + firstSeq + index, ...event })) as LogEvent);
}
