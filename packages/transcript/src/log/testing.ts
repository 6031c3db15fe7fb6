import type { FileHandle } from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { NewEvent } from "../events.ts";
import { type LogFs, NODE_FS } from "./files.ts";

/** A folder for a session that is not there yet; removed after the test. */
export async function sessionFolder(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "beeuni-log-"));
  t.after(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "ses_root");
}

export function notice(message: string): NewEvent {
  return { type: "session.notice", session: "ses_root", level: "info", code: "test", message };
}

/** What a test does instead of an operation on the log file; `real` is the handle. */
export interface LogFileFaults {
  write?: (real: FileHandle, buffer: Buffer, offset: number, length: number, position: number) => Promise<{ bytesWritten: number }>;
  datasync?: (real: FileHandle) => Promise<void>;
  truncate?: (real: FileHandle, length: number) => Promise<void>;
}

/** The real file system, but for the log file opened for writing. Faults may be put in and taken out at any time. */
export function faultyFs(faults: LogFileFaults): LogFs {
  return {
    ...NODE_FS,
    open: (async (path: string, flags: string, mode?: number) => {
      const real = await NODE_FS.open(path, flags, mode);
      if (!path.endsWith("log.jsonl") || flags !== "r+") return real;
      return new Proxy(real, {
        get(target, name) {
          const fault = faults[name as keyof LogFileFaults] as ((...args: unknown[]) => unknown) | undefined;
          if (fault !== undefined) return (...args: unknown[]) => fault(target, ...args);
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    }) as LogFs["open"],
  };
}

export function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made up by a test`), { code });
}
