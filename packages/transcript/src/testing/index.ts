export { eventsOf, legalSession, sampleInfo, type Step } from "./legal-session.ts";
export { logEvents } from "./log-events.ts";
