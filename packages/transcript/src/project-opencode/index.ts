export * from "./types.ts";
export { wireDelta, wireEvents } from "./events.ts";
export { wireAnswer, wireMessages } from "./messages.ts";
export { wirePermission, wireQuestion } from "./request.ts";
export { wireSession, wireSessionInfo, wireStatus } from "./session.ts";
