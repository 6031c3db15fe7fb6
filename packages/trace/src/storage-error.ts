import { BeeuniError } from "@beeuni/protocol";

const HINTS: { [code: string]: string } = {
  ENOSPC: "free space on that disk, then run the command again",
  EDQUOT: "free space within the quota, then run the command again",
  EACCES: "make the folder writable for this user",
  EPERM: "make the folder writable for this user",
  EROFS: "put $BEEUNI_HOME on a disk that can be written",
  ENOTDIR: "a file stands where a folder is needed: move it away",
};

/** What went wrong with the trace's file or folder, as `storage_failed`. */
export function storageFailed(path: string, thrown: unknown): BeeuniError {
  if (thrown instanceof BeeuniError) return thrown;
  const error = thrown as NodeJS.ErrnoException;
  return new BeeuniError("storage_failed", `the wire trace can't be written: ${path}: ${error.message}`, {
    hint: HINTS[error.code ?? ""] ?? "check the disk that holds $BEEUNI_HOME",
    cause: thrown,
  });
}
