import type { AttributeCall } from "@beeuni/protocol";
import { addFrame, addSpan, beginRecord, type CallRecord } from "./call-record.ts";
import { deriveCall, type DeriveContext } from "./derive-call.ts";
import { NODE_FILES, type TraceFiles } from "./files.ts";
import { FRAME_KIND, type Frame } from "./frame.ts";
import { readBodyAt, type BodySide, type RecordedBody } from "./read-body.ts";
import { readRequest, type RequestFacts } from "./read-request.ts";
import { readSegment, type SegmentStop } from "./segment-reader.ts";
import { listSegments, segmentPath } from "./segment.ts";
import type { StoredCall } from "./stored-call.ts";

export interface ReadOptions {
  /** Principal of the trace: the session's id. */
  session: string;
  attribute?: AttributeCall;
  /** `gone` when no process has the session open: calls without an end are then `cut`, not `open`. Default `running`. */
  writer?: DeriveContext["writer"];
  fs?: TraceFiles;
}

/** Bytes of a segment that are no frame. What stands behind them in the segment is lost to readers. */
export interface TraceProblem {
  path: string;
  offset: number;
  message: string;
}

interface Entry {
  record: CallRecord;
  request: RequestFacts | undefined;
  call: StoredCall | undefined;
}

/** Reads a trace while it is written. Each `update` reads only what was appended since the last one. */
export class CallTail {
  readonly problems: TraceProblem[] = [];
  readonly #directory: string;
  readonly #options: ReadOptions;
  readonly #files: TraceFiles;
  readonly #entries = new Map<number, Entry>();
  #segment = 0;
  #offset = 0;
  #updating: Promise<unknown> = Promise.resolve();

  constructor(directory: string, options: ReadOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#files = options.fs ?? NODE_FILES;
  }

  /** All calls so far, by number. */
  get calls(): StoredCall[] {
    return [...this.#entries.values()].map((entry) => this.#derived(entry)).sort((a, b) => a.number - b.number);
  }

  /** Reads on. Answers the calls that are new or have changed, by number. A folder that is not there yet has no calls. */
  update(): Promise<StoredCall[]> {
    const next = this.#updating.then(() => this.#update());
    this.#updating = next.catch(() => {});
    return next;
  }

  /** The entity bytes of a call, as far as `update` has seen it. Throws `call_not_found`. */
  body(number: number, side: BodySide): Promise<RecordedBody> {
    return readBodyAt(this.#directory, number, side, this.#entries.get(number)?.record.spans ?? [], this.#files);
  }

  async #update(): Promise<StoredCall[]> {
    // Listed before it is read: a segment that has a successor gets no more bytes.
    const segments = (await listSegments(this.#directory, this.#files)).filter((index) => index >= this.#segment);
    const changed = new Set<Entry>();
    for (const index of segments) {
      const path = segmentPath(this.#directory, index);
      const stop = await readSegment(path, index === this.#segment ? this.#offset : 0, {
        frame: (frame, from, to) => this.#visit(index, frame, from, to, changed),
      }, { files: this.#files });
      this.#segment = index;
      this.#offset = stop.offset;
      this.#judge(path, stop, index === segments.at(-1), changed);
    }
    return [...changed].map((entry) => this.#derived(entry)).sort((a, b) => a.number - b.number);
  }

  #visit(segment: number, frame: Frame, from: number, to: number, changed: Set<Entry>): void {
    let entry = this.#entries.get(frame.call);
    if (frame.kind === FRAME_KIND.requestHead) {
      const record = beginRecord(frame);
      if (record === undefined) return;
      entry = { record, request: undefined, call: undefined };
      this.#entries.set(frame.call, entry);
    } else if (entry === undefined) {
      return;
    } else {
      addFrame(entry.record, frame);
    }
    addSpan(entry.record, segment, from, to);
    entry.call = undefined;
    changed.add(entry);
    if (frame.kind === FRAME_KIND.end) this.#settle(entry);
  }

  /** Reports what could not be read. In the newest segment half a frame is one that is being written. */
  #judge(path: string, stop: SegmentStop, newest: boolean, changed: Set<Entry>): void {
    if (stop.reason === "end" || (stop.reason === "short" && newest)) return;
    const message = `${path}: damaged at byte ${stop.offset}: ${stop.why}`;
    if (this.problems.some((problem) => problem.path === path && problem.offset === stop.offset)) return;
    this.problems.push({ path, offset: stop.offset, message });
    for (const entry of this.#entries.values()) {
      if (entry.record.end !== null) continue;
      entry.record.damage = message;
      entry.call = undefined;
      changed.add(entry);
    }
  }

  #derived(entry: Entry): StoredCall {
    if (entry.call !== undefined) return entry.call;
    const { record } = entry;
    const request = entry.request ?? readRequest(record.head, record.request, this.#options.attribute);
    if (record.requestEnded || record.end !== null) {
      entry.request = request;
      record.request = [];
    }
    entry.call = deriveCall(record, request, { session: this.#options.session, writer: this.#options.writer ?? "running" });
    return entry.call;
  }

  /** A call that has ended is derived at once and its bytes let go. */
  #settle(entry: Entry): void {
    this.#derived(entry);
    entry.record.body = [];
  }
}

/** A reader that follows a trace; call its `update`. */
export function tailCalls(directory: string, options: ReadOptions): CallTail {
  return new CallTail(directory, options);
}

/** All calls of a trace, by number; none when there is no trace. `onProblem` hears of bytes that could not be read. */
export async function readCalls(directory: string, options: ReadOptions & { onProblem?: (problem: TraceProblem) => void }): Promise<StoredCall[]> {
  const tail = tailCalls(directory, options);
  await tail.update();
  for (const problem of tail.problems) options.onProblem?.(problem);
  return tail.calls;
}
