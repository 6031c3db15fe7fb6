import { performance } from "node:perf_hooks";
import { BeeuniError } from "@beeuni/protocol";
import { NODE_FILES, type TraceFiles } from "./files.ts";
import { FrameLog } from "./frame-log.ts";
import { FRAME_KIND } from "./frame.ts";
import { maskHeaders } from "./mask.ts";
import { Recording } from "./recording.ts";
import type { EndRecord, RequestHeadRecord } from "./record.ts";
import { findResume, type Resume } from "./resume.ts";
import { SegmentAppender } from "./segment-appender.ts";
import { storageFailed } from "./storage-error.ts";
import type { CallRecorder, RequestHead, TraceWriter } from "./types.ts";

export const DEFAULT_SEGMENT_BYTES = 64 * 1024 * 1024;

export interface TraceOptions {
  /** Wall clock, unix milliseconds: the start of each call. */
  now?: () => number;
  /** Monotonic clock, milliseconds: the offsets within a call. */
  monotonic?: () => number;
  /** Size at which a segment is full. A frame is never split over two. */
  segmentBytes?: number;
  /** Lowest number for the next call: what the session's log says, should the trace have lost its own. */
  startAt?: number;
  fs?: TraceFiles;
}

/** A trace that was opened on a folder. */
export interface OpenTrace extends TraceWriter {
  /** What the last writer left behind: half a frame that was cut off, calls that got the end `cut`, a segment that can't be read to its end. */
  readonly recovered: { tornBytes: number; cutCalls: readonly number[]; damaged: Resume["damaged"] };
  /** Resolves at once while less than 32 MiB wait to be written, else when they are written. Never rejects. A source that can outrun the disk waits for it. */
  drained(): Promise<void>;
}

/**
 * Opens (creates) the trace of one principal: `<directory>/NNNN.seg`, folder 0700, files 0600. Numbers go on behind what is
 * on the disk. A torn tail is cut off, and calls that the last writer left without an end get the end `cut` with
 * "the process ended before the call did". Rejects with `storage_failed`.
 *
 * One writer at a time: the session's lock sees to that.
 */
export async function openTrace(directory: string, options: TraceOptions = {}): Promise<OpenTrace> {
  const files = options.fs ?? NODE_FILES;
  const resume = await files.mkdir(directory, { recursive: true, mode: 0o700 })
    .then(() => findResume(directory, files))
    .catch((error: unknown) => { throw storageFailed(directory, error); });
  resume.nextCall = Math.max(resume.nextCall, options.startAt ?? 0);
  const log = new FrameLog(await SegmentAppender.open(directory, files, options.segmentBytes ?? DEFAULT_SEGMENT_BYTES, resume));
  const end: EndRecord = { reason: "cut", error: "the process ended before the call did", recovered: true };
  for (const call of resume.openCalls) log.push(FRAME_KIND.end, call, 0, Buffer.from(JSON.stringify(end)));
  return new SegmentTraceWriter(log, resume, options);
}

class SegmentTraceWriter implements OpenTrace {
  readonly recovered: OpenTrace["recovered"];
  readonly #log: FrameLog;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  readonly #running = new Set<Recording>();
  #next: number;
  #closed: Promise<void> | undefined;

  constructor(log: FrameLog, resume: Resume, options: TraceOptions) {
    this.#log = log;
    this.#now = options.now ?? Date.now;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#next = resume.nextCall;
    this.recovered = { tornBytes: resume.tornBytes, cutCalls: resume.openCalls, damaged: resume.damaged };
  }

  get nextNumber(): number {
    return this.#next;
  }

  begin(head: RequestHead): CallRecorder {
    if (this.#closed !== undefined) throw new BeeuniError("internal", "the wire trace is closed: no call can begin");
    if (this.#log.failure !== undefined) throw this.#log.failure;
    const record: RequestHeadRecord = {
      at: this.#now(), method: head.method, target: head.target, protocol: head.protocol, headers: maskHeaders(head.headers),
    };
    const recording = new Recording(this.#next++, record, this.#log, this.#monotonic, () => this.#running.delete(recording));
    this.#running.add(recording);
    return recording;
  }

  flush(): Promise<void> {
    return this.#log.synced();
  }

  drained(): Promise<void> {
    return this.#log.drained();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // Not awaited: the log's close below waits for all of them and says when it failed.
    for (const recording of this.#running) recording.end("cut", "the trace was closed before the call ended").catch(() => {});
    await this.#log.close();
  }
}
