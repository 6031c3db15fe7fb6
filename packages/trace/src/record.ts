import type { CallEnd } from "./types.ts";

/** JSON payloads of the frames, as they stand on the disk. */
export interface RequestHeadRecord {
  /** Wall clock, unix milliseconds. */
  at: number;
  method: string;
  target: string;
  protocol: string;
  headers: readonly (readonly [string, string])[];
}

export interface ResponseHeadRecord {
  status: number;
  headers: readonly (readonly [string, string])[];
}

export interface EndRecord {
  reason: CallEnd;
  error?: string;
  /** Written by the next open, for a call whose writer died: when it ended is not known. */
  recovered?: true;
}

/** First value of a header by its lower-case name; null when it is not there. */
export function headerValue(headers: readonly (readonly [string, string])[], name: string): string | null {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}
