import { readRegularFile } from "./regular-file.ts";
import { ToolError } from "./tool.ts";

const MAX_TEXT_BYTES = 20 * 1_024 * 1_024;

/** A text file's content, for the model; throws `ToolError` with what it is instead. `path` is as the model wrote it. */
export async function readTextFile(real: string, path: string): Promise<Buffer> {
  const content = await readBytes(real, path, MAX_TEXT_BYTES, "more than can be read at once. Use grep or bash for parts of it.");
  if (content.subarray(0, 8_192).includes(0)) throw new ToolError("failed", `${path} is a binary file (${content.length} bytes).`);
  return content;
}

/** A regular file's bytes; throws `ToolError` with what it is instead. `tooLarge` ends the sentence about one that is longer than `maxBytes`. */
export async function readBytes(real: string, path: string, maxBytes: number, tooLarge: string): Promise<Buffer> {
  const read = await readRegularFile(real, maxBytes).catch((error: unknown) => { throw fileError(error, path, "read"); });
  switch (read.kind) {
    case "content": return read.content;
    case "folder": throw new ToolError("failed", `${path} is a folder. Use glob to list its files.`);
    case "irregular": throw irregular(path);
    case "too large": throw new ToolError("failed", `${path} has ${Math.max(read.bytes, maxBytes + 1)} bytes${read.bytes > maxBytes ? "" : " or more"}, ${tooLarge}`);
  }
}

export function irregular(path: string): ToolError {
  return new ToolError("failed", `${path} is not a regular file.`);
}

const REASONS: { [code: string]: string } = {
  ENOENT: "there is no such file", ENOTDIR: "a part of the path is not a folder", EACCES: "permission denied", EPERM: "operation not permitted",
  EISDIR: "it is a folder", ENXIO: "it is not a regular file", EROFS: "the file system is read-only", ENOSPC: "the disk is full", EEXIST: "a file of that name is in the way", ELOOP: "too many symbolic links",
};

/** A system error in words, with the path as the model wrote it. */
export function fileError(error: unknown, path: string, verb: string): ToolError {
  if (error instanceof ToolError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new ToolError("failed", `Can't ${verb} ${path}: ${REASONS[code ?? ""] ?? message}.`);
}
