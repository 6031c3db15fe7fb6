import { mkdir, open, readdir } from "node:fs/promises";

/** One open segment. Positions are explicit, so that a write can be repeated where it stopped. */
export interface TraceFile {
  writev(buffers: NodeJS.ArrayBufferView[], position: number): Promise<{ bytesWritten: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The part of the file system that the trace uses; `node:fs/promises` fits as it is. */
export interface TraceFiles {
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  open(path: string, flags: string, mode?: number): Promise<TraceFile>;
}

export const NODE_FILES: TraceFiles = { mkdir, readdir, open };
