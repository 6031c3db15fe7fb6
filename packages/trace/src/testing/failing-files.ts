import { NODE_FILES, type TraceFile, type TraceFiles } from "../files.ts";

export type DiskFault = "full" | "short writes" | "sync fails";

/** A disk that misbehaves: full after `bytes` bytes, taking three bytes a write, or failing to sync. */
export function faultyFiles(fault: DiskFault, bytes = 0): TraceFiles {
  let left = bytes;
  const open: TraceFiles["open"] = async (path, flags, mode) => {
    const file = await NODE_FILES.open(path, flags, mode);
    const faulty: TraceFile = {
      read: (...args) => file.read(...args),
      truncate: (length) => file.truncate(length),
      sync: () => file.sync(),
      close: () => file.close(),
      datasync: () => (fault === "sync fails" ? Promise.reject(systemError("EIO", "i/o error, fdatasync")) : file.datasync()),
      async writev(buffers, position) {
        if (fault === "sync fails") return file.writev(buffers, position);
        const all = Buffer.concat(buffers as Uint8Array[]);
        const take = fault === "short writes" ? 3 : Math.min(all.length, left);
        if (take === 0) throw systemError("ENOSPC", "no space left on device, writev");
        left -= take;
        return file.writev([all.subarray(0, take)], position);
      },
    };
    return faulty;
  };
  return { ...NODE_FILES, open };
}

function systemError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
