import type { TraceFiles } from "./files.ts";
import { FRAME_KIND } from "./frame.ts";
import { readSegment, type SegmentStop } from "./segment-reader.ts";
import { listSegments, segmentPath } from "./segment.ts";

/** Where a writer goes on in a folder of segments. */
export interface Resume {
  index: number;
  /** The segment `index` is there already. */
  exists: boolean;
  /** Where its next byte goes; 0: its header is still to be written. */
  position: number;
  hasFrames: boolean;
  /** Bytes behind `position` that are half a frame and go away. */
  tornBytes: number;
  nextCall: number;
  /** Calls that were under way when the last writer died. */
  openCalls: number[];
  /** A segment whose end can't be read. It stays as it is; writing goes on in a new one. */
  damaged: { path: string; offset: number; why: string } | null;
}

/** Reads as little as possible: from the last segment with a whole header on. */
export async function findResume(directory: string, files: TraceFiles): Promise<Resume> {
  const segments = await listSegments(directory, files);
  const resume: Resume = {
    index: 1, exists: false, position: 0, hasFrames: false, tornBytes: 0, nextCall: 0, openCalls: [], damaged: null,
  };
  const first = await lastWithHeader(directory, segments, files);
  const open = new Set<number>();
  for (const index of segments.slice(first)) {
    const path = segmentPath(directory, index);
    let hasFrames = false;
    const stop = await readSegment(path, 0, {
      header(header) {
        resume.nextCall = Math.max(resume.nextCall, header.nextCall);
        for (const call of header.openCalls) open.add(call);
      },
      frame({ kind, call }) {
        hasFrames = true;
        if (kind === FRAME_KIND.requestHead) open.add(call);
        if (kind === FRAME_KIND.end) open.delete(call);
        resume.nextCall = Math.max(resume.nextCall, call + 1);
      },
    }, { files });
    place(resume, index, path, stop, hasFrames);
  }
  resume.openCalls = [...open].sort((a, b) => a - b);
  return resume;
}

function place(resume: Resume, index: number, path: string, stop: SegmentStop, hasFrames: boolean): void {
  if (stop.reason === "bad") {
    Object.assign(resume, { index: index + 1, exists: false, position: 0, hasFrames: false, tornBytes: 0, damaged: { path, offset: stop.offset, why: stop.why } });
    return;
  }
  const tornBytes = stop.reason === "short" ? stop.size - stop.offset : 0;
  Object.assign(resume, { index, exists: true, position: stop.offset, hasFrames, tornBytes, damaged: null });
}

/** Index into `segments` of the last one whose header is whole; 0 when none is. */
async function lastWithHeader(directory: string, segments: readonly number[], files: TraceFiles): Promise<number> {
  for (let at = segments.length - 1; at > 0; at--) {
    let whole = false;
    const visitor = { header: () => void (whole = true), frame: () => {} };
    await readSegment(segmentPath(directory, segments[at]!), 0, visitor, { files, until: 1 });
    if (whole) return at;
  }
  return 0;
}
