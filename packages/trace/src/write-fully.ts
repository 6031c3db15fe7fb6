import type { TraceFile } from "./files.ts";

/** Writes all buffers at `position`, however many writes that takes. Answers the position behind them. */
export async function writeFully(file: TraceFile, buffers: readonly Uint8Array[], position: number): Promise<number> {
  let rest = buffers.filter((buffer) => buffer.byteLength > 0);
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    if (bytesWritten <= 0) throw new Error("the file takes no more bytes");
    at += bytesWritten;
    rest = after(rest, bytesWritten);
  }
  return at;
}

/** What is left of the buffers behind their first `bytes` bytes. */
function after(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  let first = 0;
  while (first < buffers.length && buffers[first]!.byteLength <= skip) skip -= buffers[first++]!.byteLength;
  const rest = buffers.slice(first);
  if (skip > 0) rest[0] = rest[0]!.subarray(skip);
  return rest;
}
