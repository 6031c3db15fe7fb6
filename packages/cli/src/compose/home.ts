import { createHash } from "node:crypto";
import { access, constants, mkdir, opendir, realpath, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { BeeuniError } from "@beeuni/protocol/errors";
import type { Environment } from "../io.ts";

/** Where beeuni keeps what it writes: `$BEEUNI_HOME`, by default `~/.beeuni`. Only its owner may look in. */
export function homeDirectory(env: Environment): string {
  return resolve(env["BEEUNI_HOME"] || join(env["HOME"] || userInfo().homedir, ".beeuni"));
}

/** Makes the folder when it is missing. Throws `storage_failed` when it can't be written. */
export async function prepareHome(home: string): Promise<void> {
  try {
    await makeFolder(home);
    await access(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new BeeuniError("storage_failed", `${home} can't be written: ${reason(error)}`, {
      hint: "make it writable, or name another folder with BEEUNI_HOME",
      cause: error,
    });
  }
}

/** Not mkdir's own `recursive`, which tries for ever where a parent is there but takes no folders (/proc). */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || path === dirname(path)) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** The project's folder, absolute and with links resolved. Throws `not_found` when there is none. */
export async function projectDirectory(dir: string | undefined, cwd: string): Promise<string> {
  const wanted = resolve(cwd, dir ?? ".");
  try {
    const directory = await realpath(wanted);
    // Reads nothing, but fails for a file and for a folder that may not be read.
    await (await opendir(directory)).close();
    return directory;
  } catch (error) {
    throw new BeeuniError("not_found", `${wanted} can't be used as the project's folder: ${reason(error)}`, {
      hint: "--dir takes the path of an existing folder that you may read",
      cause: error,
    });
  }
}

/** Files about one project that are not in it: its flags, its running server. */
export function projectFiles(home: string, directory: string): { folder: string; flags: string; server: string; token: string } {
  const folder = join(home, "projects", createHash("sha256").update(directory).digest("hex").slice(0, 12));
  return { folder, flags: join(folder, "flags.json"), server: join(folder, "server.json"), token: join(folder, "token") };
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "it does not exist";
  if (code === "ENOTDIR" || code === "EEXIST") return "it is not a folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "EROFS") return "the file system is read-only";
  return (error as Error).message;
}
