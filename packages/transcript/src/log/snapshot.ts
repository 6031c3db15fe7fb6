import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { type EntryState, entryOf } from "../entry.ts";
import type { TreeState } from "../state.ts";
import { type LogFs, writeWhole } from "./files.ts";
import type { LinePosition } from "./scan.ts";

/** Changes whenever TreeState or the reducer does: a snapshot of another format is ignored and the log read from its start. */
const SNAPSHOT_FORMAT = "beeuni.snapshot.v2";

/** The first line of a snapshot file: enough for a list, and to check that the snapshot fits its log. */
export interface SnapshotHead extends LinePosition {
  format: string;
  /** Length in bytes and sha256 of the line that ends at `offset`, without its line feed. */
  line: { length: number; sha256: string };
  /** sha256 of the state's JSON. */
  digest: string;
  root: EntryState;
}

/**
 * Writes the fold up to `position`. The file is one JSON object whose head stands alone in the first line, so that a list
 * reads no more than that. The log is the truth: when this fails, nothing is lost.
 */
export async function writeSnapshot(fs: LogFs, path: string, log: FileHandle, position: LinePosition, lineLength: number, state: TreeState): Promise<number> {
  const root = entryOf(state);
  if (root === null) return 0;
  const json = JSON.stringify(state);
  const head: SnapshotHead = {
    format: SNAPSHOT_FORMAT, seq: position.seq, offset: position.offset,
    line: { length: lineLength, sha256: sha256(await lineBefore(log, position.offset, lineLength)) }, digest: sha256(json), root,
  };
  await writeWhole(fs, path, `${JSON.stringify(head).slice(0, -1)},\n"state":${json}}\n`);
  return json.length;
}

/** The state of a snapshot that fits the log, with its place; null for none, an unreadable or a foreign one. */
export async function readSnapshot(fs: LogFs, path: string, log: FileHandle, size: number): Promise<{ state: TreeState; at: LinePosition; bytes: number } | null> {
  const text = await fs.readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  const split = text.indexOf("\n");
  const head = parseHead(text.slice(0, split));
  if (head === null || !(await fits(head, log, size))) return null;
  const json = text.slice(split + '\n"state":'.length, text.lastIndexOf("}"));
  if (sha256(json) !== head.digest) return null;
  return { state: JSON.parse(json) as TreeState, at: { seq: head.seq, offset: head.offset }, bytes: json.length };
}

/** Only the head, which says nothing about the state's own bytes. Reads a few kilobytes. */
export async function readSnapshotHead(fs: LogFs, path: string, log: FileHandle, size: number): Promise<SnapshotHead | null> {
  const file = await fs.open(path, "r").catch(() => null);
  if (file === null) return null;
  try {
    const buffer = Buffer.alloc(16 * 1024);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const end = buffer.subarray(0, bytesRead).indexOf("\n");
    const head = end === -1 ? null : parseHead(buffer.toString("utf8", 0, end));
    return head !== null && (await fits(head, log, size)) ? head : null;
  } finally {
    await file.close();
  }
}

function parseHead(line: string): SnapshotHead | null {
  try {
    const head = JSON.parse(`${line.replace(/,$/, "")}}`) as SnapshotHead;
    return head.format === SNAPSHOT_FORMAT && Number.isInteger(head.seq) && Number.isInteger(head.offset) && Number.isInteger(head.line.length) ? head : null;
  } catch {
    return null;
  }
}

/** A log that was cut, replaced or edited there has another line before the offset. */
async function fits({ offset, line }: SnapshotHead, log: FileHandle, size: number): Promise<boolean> {
  if (offset > size || line.length < 1 || line.length >= offset) return false;
  return sha256(await lineBefore(log, offset, line.length)) === line.sha256;
}

/** The line that ends at `offset`, from the line feed before it (if any) to its own. */
async function lineBefore(log: FileHandle, offset: number, length: number): Promise<Buffer> {
  const start = Math.max(0, offset - length - 2);
  const buffer = Buffer.alloc(offset - start);
  await log.read(buffer, 0, buffer.length, start);
  return buffer;
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
