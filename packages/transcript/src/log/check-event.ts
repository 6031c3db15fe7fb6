import { BeeuniError } from "@beeuni/protocol";
import { EVENT_SCHEMAS, type NewEvent } from "../events.ts";

/** Throws `internal` for an event that the next opening of the log would refuse as corrupt. */
export function checkEvent(event: NewEvent): void {
  const result = EVENT_SCHEMAS[event.type]?.safeParse(event);
  if (result?.success === true && typeof event.session === "string") return;
  throw new BeeuniError("internal", `a malformed ${event.type} event was not written to the log`, { cause: result?.error });
}
