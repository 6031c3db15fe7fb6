import { BeeuniError } from "@beeuni/protocol";
import { basename } from "node:path";
import { errorCode } from "./files.ts";

/** Where a bad line stands. `line` counts from 1, `offset` is the byte where it begins. */
export interface LinePlace {
  file: string;
  line: number;
  offset: number;
}

export function corruptLog({ file, line, offset }: LinePlace, reason: string, cause?: unknown): BeeuniError {
  const keep = line === 1
    ? "there is nothing before it to keep: restore the file from a copy, or remove the session's folder"
    : `restore the file from a copy; or keep what stands before that line: cp ${file} ${file}.bad && truncate -s ${offset} ${file}`;
  return new BeeuniError("session_corrupt", `${file}:${line}: ${reason} (byte ${offset}); nothing was changed`, { hint: keep, cause });
}

const REASONS: { [code: string]: string } = {
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EIO: "the device reports an input/output error",
  EACCES: "permission denied",
  EPERM: "permission denied",
};

/** `what` names the file and what was tried. */
export function storageFailed(what: string, cause: unknown): BeeuniError {
  const code = errorCode(cause);
  const reason = (code === undefined ? undefined : REASONS[code]) ?? (cause instanceof Error ? cause.message : String(cause));
  return new BeeuniError("storage_failed", `${what}: ${reason}${code === undefined ? "" : ` (${code})`}`, {
    hint: code === "ENOSPC" || code === "EDQUOT"
      ? "free some space, then open the session again: what was acknowledged is kept"
      : "make the folder writable, then open the session again: what was acknowledged is kept",
    cause,
  });
}

export function noSession(directory: string, cause?: unknown): BeeuniError {
  return new BeeuniError("session_not_found", `there is no session ${basename(directory)} (no log in ${directory})`, {
    hint: "beeuni session ls lists the sessions", cause,
  });
}
