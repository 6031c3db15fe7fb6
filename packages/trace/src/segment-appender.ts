import type { TraceFile, TraceFiles } from "./files.ts";
import { FRAME_KIND, type FrameKind } from "./frame.ts";
import type { Resume } from "./resume.ts";
import { encodeSegmentHeader, segmentPath } from "./segment.ts";
import { storageFailed } from "./storage-error.ts";
import { writeFully } from "./write-fully.ts";

export interface EncodedFrame {
  kind: FrameKind;
  call: number;
  bytes: number;
  buffers: [Uint8Array, Uint8Array];
}

/** The newest segment of a folder and the way to its successor. One append at a time. */
export class SegmentAppender {
  readonly #directory: string;
  readonly #files: TraceFiles;
  readonly #segmentBytes: number;
  #index: number;
  #position: number;
  #file: TraceFile;
  #hasFrames: boolean;
  /** What the written frames leave open: goes into the next segment's header. */
  #nextCall: number;
  readonly #openCalls: Set<number>;

  private constructor(directory: string, files: TraceFiles, segmentBytes: number, resume: Resume, file: TraceFile) {
    this.#directory = directory;
    this.#files = files;
    this.#segmentBytes = segmentBytes;
    this.#index = resume.index;
    this.#position = resume.position;
    this.#hasFrames = resume.hasFrames;
    this.#nextCall = resume.nextCall;
    this.#openCalls = new Set(resume.openCalls);
    this.#file = file;
  }

  /** Opens the segment that `resume` says, cuts its torn tail off, or creates it. Rejects with `storage_failed`. */
  static async open(directory: string, files: TraceFiles, segmentBytes: number, resume: Resume): Promise<SegmentAppender> {
    const path = segmentPath(directory, resume.index);
    let file: TraceFile | undefined;
    try {
      file = await files.open(path, resume.exists ? "r+" : "wx+", 0o600);
      if (resume.tornBytes > 0) await file.truncate(resume.position);
      const appender = new SegmentAppender(directory, files, segmentBytes, resume, file);
      if (resume.position === 0) await appender.#begin();
      return appender;
    } catch (error) {
      await file?.close().catch(() => {});
      throw storageFailed(path, error);
    }
  }

  get path(): string {
    return segmentPath(this.#directory, this.#index);
  }

  /** How many of the frames still go into this segment; 0 when it is full. An empty segment takes at least one. */
  room(frames: readonly EncodedFrame[], maxBytes: number): number {
    let count = 0;
    let bytes = 0;
    for (const frame of frames) {
      const fits = this.#position + bytes + frame.bytes <= this.#segmentBytes || (!this.#hasFrames && count === 0);
      if (!fits || (count > 0 && bytes + frame.bytes > maxBytes)) break;
      bytes += frame.bytes;
      count++;
    }
    return count;
  }

  async append(frames: readonly EncodedFrame[]): Promise<void> {
    this.#position = await writeFully(this.#file, frames.flatMap((frame) => frame.buffers), this.#position);
    this.#hasFrames = true;
    for (const { kind, call } of frames) {
      if (kind === FRAME_KIND.requestHead) {
        this.#nextCall = Math.max(this.#nextCall, call + 1);
        this.#openCalls.add(call);
      } else if (kind === FRAME_KIND.end) {
        this.#openCalls.delete(call);
      }
    }
  }

  /** The full segment goes to the disk before its successor is there: a sync of the newest file is a sync of all. */
  async roll(): Promise<void> {
    const full = this.#file;
    await full.datasync();
    this.#file = await this.#files.open(segmentPath(this.#directory, this.#index + 1), "wx+", 0o600);
    this.#index++;
    await full.close();
    await this.#begin();
  }

  datasync(): Promise<void> {
    return this.#file.datasync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Writes the header and makes the new file's name durable. */
  async #begin(): Promise<void> {
    this.#position = await writeFully(this.#file, [encodeSegmentHeader(this.#nextCall, [...this.#openCalls])], 0);
    this.#hasFrames = false;
    const directory = await this.#files.open(this.#directory, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }
}
