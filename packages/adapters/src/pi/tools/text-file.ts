import { readFile, stat } from "node:fs/promises";
import { ToolError } from "./tool.ts";

const MAX_TEXT_BYTES = 20 * 1_024 * 1_024;

/** A text file's content, for the model; throws `ToolError` with what it is instead. `path` is as the model wrote it. */
export async function readTextFile(real: string, path: string): Promise<Buffer> {
  const stats = await stat(real).catch((error: unknown) => { throw fileError(error, path, "read"); });
  if (stats.isDirectory()) throw new ToolError("failed", `${path} is a folder. Use glob to list its files.`);
  if (!stats.isFile()) throw new ToolError("failed", `${path} is not a regular file.`);
  if (stats.size > MAX_TEXT_BYTES) throw new ToolError("failed", `${path} has ${stats.size} bytes, more than can be read at once. Use grep or bash for parts of it.`);
  const content = await readFile(real).catch((error: unknown) => { throw fileError(error, path, "read"); });
  if (content.subarray(0, 8_192).includes(0)) throw new ToolError("failed", `${path} is a binary file (${stats.size} bytes).`);
  return content;
}

const REASONS: { [code: string]: string } = {
  ENOENT: "there is no such file", ENOTDIR: "a part of the path is not a folder", EACCES: "permission denied", EPERM: "operation not permitted",
  EISDIR: "it is a folder", EROFS: "the file system is read-only", ENOSPC: "the disk is full", EEXIST: "a file of that name is in the way", ELOOP: "too many symbolic links",
};

/** A system error in words, with the path as the model wrote it. */
export function fileError(error: unknown, path: string, verb: string): ToolError {
  if (error instanceof ToolError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new ToolError("failed", `Can't ${verb} ${path}: ${REASONS[code ?? ""] ?? message}.`);
}
