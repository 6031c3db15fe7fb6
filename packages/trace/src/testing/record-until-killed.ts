import { openTrace } from "../writer.ts";
import { bytes, recordCall, requestHead } from "./record-call.ts";

// A process of its own: records one whole call and half of another, says so, and waits to be killed.
const trace = await openTrace(process.argv[2]!);
await recordCall(trace, { protocol: "models", status: 200, response: "whole", end: "complete" });
const half = trace.begin(requestHead());
half.requestBody(bytes('{"model":"m"}'));
half.requestEnd();
half.responseHead(200, [["content-type", "text/event-stream"]]);
half.responseBody(bytes("data: {}\n\n"));
// The end of a third call is the sign that everything before it is written.
await recordCall(trace, { protocol: "models", end: "refused", error: "no upstream" });
process.stdout.write("written\n");
setInterval(() => half.responseBody(bytes("data: {\"more\":1}\n\n")), 1);
