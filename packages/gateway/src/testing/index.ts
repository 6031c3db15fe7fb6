/** For tests of this project: bytes on the wire, seen and made without any HTTP library. */
export { header, readMessages, type RawMessage } from "./http-bytes.ts";
export { startRawUpstream, waitlist, type RawUpstream } from "./raw-upstream.ts";
export { startTcpRecorder, type TcpRecorder } from "./tcp-recorder.ts";
