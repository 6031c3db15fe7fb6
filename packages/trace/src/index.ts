// The wire trace: what passed between a harness and its models, byte for byte, in append-only segments (`segment.ts`, `frame.ts`).
// Writing parses nothing. Reading derives every call from the recorded bytes, so that a better reader sees more in an old trace.

// What the gateway writes through.
export * from "./types.ts";
export { openTrace, DEFAULT_SEGMENT_BYTES, type OpenTrace, type TraceOptions } from "./writer.ts";
export { CREDENTIAL_HEADERS } from "./mask.ts";
export type { TraceFile, TraceFiles } from "./files.ts";
// What everybody else reads.
export { readCalls, tailCalls, CallTail, type ReadOptions, type TraceProblem } from "./call-tail.ts";
export { readBody, readBodyText, bodyText, type BodySide, type RecordedBody } from "./read-body.ts";
export type { StoredCall } from "./stored-call.ts";
export { callId } from "./call-id.ts";
export { textDigest } from "./text-digest.ts";
// From a message to its call, and from a request to the one before it. Pure.
export { joinCalls } from "./join/join-calls.ts";
export { callForPart, type CallOfPart } from "./join/call-for-part.ts";
export { diffRequests, type ParameterChange, type RequestDiff, type RequestText, type SharedPrefix } from "./diff/diff-requests.ts";
export type { Change } from "./diff/diff-sequence.ts";
export type { Difference } from "./diff/first-difference.ts";
