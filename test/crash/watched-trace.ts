import { createHash } from "node:crypto";
import { mkdir, open, readdir } from "node:fs/promises";
import type { Gateway } from "@beeuni/gateway";
import type { CallRecorder, TraceFile, TraceFiles, TraceWriter } from "@beeuni/trace";
import { type Doom, report } from "./doom.ts";

/**
 * The gateway with its traces watched. Moments of a call: `call:begun`, `call:request-recorded`, `call:upstream-asked`,
 * `call:answer-begun`, `call:chunk`, `call:ending`, and `call:ended` (its end is written; the client hears of it next).
 */
export function watchedGateway(gateway: Gateway, doom: Doom): Gateway {
  return { ...gateway, principal: (spec) => gateway.principal({ ...spec, trace: watchedWriter(spec.trace, doom) }) };
}

function watchedWriter(trace: TraceWriter, doom: Doom): TraceWriter {
  return {
    get nextNumber() {
      return trace.nextNumber;
    },
    begin(head) {
      const recorder = trace.begin(head);
      doom.reach("call:begun");
      return watchedCall(recorder, doom);
    },
    flush: () => trace.flush(),
    close: () => trace.close(),
  };
}

function watchedCall(recorder: CallRecorder, doom: Doom): CallRecorder {
  let digest = createHash("sha256");
  return {
    number: recorder.number,
    requestBody: (chunk) => recorder.requestBody(chunk),
    requestEnd() {
      recorder.requestEnd();
      doom.reach("call:request-recorded");
    },
    route(route) {
      recorder.route(route);
      doom.reach("call:upstream-asked");
    },
    responseHead(status, headers) {
      recorder.responseHead(status, headers);
      digest = createHash("sha256");
      doom.reach("call:answer-begun");
    },
    responseBody(chunk) {
      recorder.responseBody(chunk);
      digest.update(chunk);
      doom.reach("call:chunk");
    },
    async end(reason, error) {
      doom.reach("call:ending");
      await recorder.end(reason, error);
      report({ type: "call", number: recorder.number, end: reason, sha256: digest.digest("hex") });
      doom.reach("call:ended");
    },
  };
}

/**
 * The trace's file system, watched. Moments: `segment:created` (the file is there and empty), `segment:torn` (half of a
 * write is in it; with the bytes of that write), `segment:synced`.
 */
export function watchedFiles(doom: Doom): TraceFiles {
  return {
    mkdir, readdir,
    async open(path, flags, mode) {
      const file = await open(path, flags, mode);
      if (!path.endsWith(".seg")) return file;
      if (flags.startsWith("w")) doom.reach("segment:created");
      return watchedFile(file, doom);
    },
  };
}

function watchedFile(file: TraceFile, doom: Doom): TraceFile {
  return {
    read: (...where) => file.read(...where),
    truncate: (length) => file.truncate(length),
    sync: () => file.sync(),
    close: () => file.close(),
    async datasync() {
      await file.datasync();
      doom.reach("segment:synced");
    },
    async writev(buffers, position) {
      const bytes = Buffer.concat(buffers as Uint8Array[]);
      const half = bytes.length >> 1;
      const first = half === 0 ? 0 : (await file.writev([bytes.subarray(0, half)], position)).bytesWritten;
      doom.reach("segment:torn", bytes.toString("latin1"));
      const { bytesWritten } = await file.writev([bytes.subarray(first)], position + first);
      return { bytesWritten: first + bytesWritten };
    },
  };
}
