import { constants, open, type FileHandle } from "node:fs/promises";

const { O_CREAT, O_NOCTTY, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const CHUNK_BYTES = 64 * 1_024;

export type FileContent =
  | { kind: "content"; content: Buffer }
  /** `bytes`: as the file system says; 0 for a file of /proc, which is only known when it is read. */
  | { kind: "too large"; bytes: number }
  | { kind: "folder" }
  /** A pipe, a device, a socket. */
  | { kind: "irregular" };

/**
 * Reads a regular file of at most `maxBytes`. What it is gets decided on the open file, so it can't be changed in between;
 * a pipe does not block, and a file without end (of /proc) is not read to it. Rejects with the system's error.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<FileContent> {
  await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  const stats = await file.stat();
  if (stats.isDirectory()) return { kind: "folder" };
  if (!stats.isFile()) return { kind: "irregular" };
  if (stats.size > maxBytes) return { kind: "too large", bytes: stats.size };
  const content = await readUpTo(file, stats.size, maxBytes);
  return content === null ? { kind: "too large", bytes: stats.size } : { kind: "content", content };
}

/** Creates the file or replaces its whole content. False, with nothing done, when something that is no regular file has the name. */
export async function writeRegularFile(path: string, content: string | Uint8Array): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    // A pipe that nobody reads, or a socket.
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return false;
    throw error;
  }
  await using _closing = file;
  if (!(await file.stat()).isFile()) return false;
  await file.truncate();
  await file.writeFile(content);
  return true;
}

/** Null when there is more than `maxBytes`. */
async function readUpTo(file: FileHandle, expected: number, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const room = Math.min(Math.max(expected - total + 1, CHUNK_BYTES), maxBytes + 1 - total);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(room), 0, room, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) return null;
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
