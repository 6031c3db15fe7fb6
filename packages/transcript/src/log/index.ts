export { createSessionLog, type LogOptions, openSessionLog } from "./session-log.ts";
export { type LogReading, peekSession, peekSessionTree, readSessionLog, sessionHolder } from "./read-session-log.ts";
export { type LogFs, NODE_FS } from "./files.ts";
