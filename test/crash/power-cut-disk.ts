import type { FileHandle } from "node:fs/promises";
import { type LogFs, NODE_FS } from "@beeuni/transcript/log";
import type { Doom } from "./doom.ts";

export interface DiskOptions {
  doom: Doom;
  /** Says that a sync is done and keeps nothing: what a log without its flush would be. For a control. */
  acknowledgesEarly: boolean;
}

/**
 * A file system on which the death of the process is a power cut for the sessions' logs: a line that was written and not
 * synced is gone. Moments of a sync, each with the lines that it is about: `log:written`, `log:torn` (the disk has the
 * first line and half of the next, or half of the only one) and `log:synced` (nobody was told yet).
 */
export function powerCutDisk(options: DiskOptions): LogFs {
  const open = async (path: string, flags: string, mode?: number): Promise<FileHandle> => {
    const file = await NODE_FS.open(path, flags, mode);
    return path.endsWith("/log.jsonl") && flags !== "r" ? volatile(file, options) : file;
  };
  return { ...NODE_FS, open: open as LogFs["open"] };
}

interface Extent { position: number; bytes: Buffer }

function volatile(file: FileHandle, { doom, acknowledgesEarly }: DiskOptions): FileHandle {
  let unsynced: Extent[] = [];

  const put = async (bytes: Buffer, position: number): Promise<void> => {
    for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  };
  const own = {
    write: async (bytes: Buffer, offset: number, length: number, position: number) => {
      unsynced.push({ position, bytes: Buffer.from(bytes.subarray(offset, offset + length)) });
      return { bytesWritten: length, buffer: bytes };
    },
    datasync: async () => {
      const lines = Buffer.concat(unsynced.map(({ bytes }) => bytes));
      const position = unsynced[0]?.position ?? 0;
      const text = lines.toString();
      doom.reach("log:written", text);
      if (acknowledgesEarly) return;
      unsynced = [];
      const tear = tearingPoint(lines);
      await put(lines.subarray(0, tear), position);
      doom.reach("log:torn", text);
      await put(lines.subarray(tear), position + tear);
      await file.datasync();
      doom.reach("log:synced", text);
    },
    /** What was written can be read before it is synced, as from a page cache. */
    read: async (buffer: Buffer, offset: number, length: number, position: number) => {
      let { bytesRead } = await file.read(buffer, offset, length, position);
      for (const { position: at, bytes } of unsynced) {
        const from = Math.max(at, position);
        const to = Math.min(at + bytes.length, position + length);
        if (from >= to) continue;
        bytes.copy(buffer, offset + from - position, from - at, to - at);
        bytesRead = Math.max(bytesRead, to - position);
      }
      return { bytesRead, buffer };
    },
  };
  return new Proxy(file, {
    get: (target, name) => {
      if (Object.hasOwn(own, name)) return own[name as keyof typeof own];
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

/** In the middle of the second line; of the only one when there is no second. */
function tearingPoint(lines: Buffer): number {
  const first = lines.indexOf("\n") + 1;
  const second = lines.indexOf("\n", first) + 1;
  return second === 0 ? first >> 1 : (first + second) >> 1;
}
