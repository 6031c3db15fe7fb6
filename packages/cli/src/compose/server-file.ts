import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { BeeuniError } from "@beeuni/protocol/errors";
import { projectFiles } from "./home.ts";

/** `server.json` of a project: the one `beeuni serve` that runs on it. The token is in the file beside it (0600). */
export interface ServerRecord {
  url: string;
  pid: number;
  startedAt: string;
  /** The project's folder. */
  directory: string;
}

export interface RunningServer extends ServerRecord {
  token: string;
}

/** Milliseconds that a running server may take to answer; it is on this machine. */
const PATIENCE = 2000;

/** The server that runs on the project, undefined when there is none. A record that nobody stands behind counts as none. */
export async function findServer(home: string, directory: string): Promise<RunningServer | undefined> {
  const files = projectFiles(home, directory);
  const record = parseRecord(await readFile(files.server, "utf8").catch(() => ""));
  const token = (await readFile(files.token, "utf8").catch(() => "")).trim();
  if (record === undefined || token === "" || !(await answers(record))) return undefined;
  return { ...record, token };
}

/**
 * Makes this process the project's server: writes the record in one step, or throws `already_serving` when another
 * one runs. Returns what takes the record away again.
 */
export async function announceServer(home: string, record: ServerRecord, token: string): Promise<() => Promise<void>> {
  const files = projectFiles(home, record.directory);
  await mkdir(files.folder, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(record)}\n`;
  for (let tries = 0; tries < 5; tries++) {
    if (await createWhole(files.server, text)) {
      await writeToken(files.token, token);
      return async () => {
        // Only our own: a later server may have taken the place of a record it could not reach.
        if ((await readFile(files.server, "utf8").catch(() => "")) === text) await Promise.all([rm(files.server, { force: true }), rm(files.token, { force: true })]);
      };
    }
    const known = await readFile(files.server, "utf8").catch(() => "");
    const other = parseRecord(known);
    if (other !== undefined && (await answers(other))) throw alreadyServing(other);
    // Left by a process that was killed.
    await takeAway(files.server, known);
  }
  throw new BeeuniError("storage_failed", `${files.server} can't be written`, { hint: "remove that file and start again" });
}

export function alreadyServing(record: ServerRecord): BeeuniError {
  return new BeeuniError("already_serving", `${record.directory} is already served at ${record.url} (process ${record.pid})`, {
    hint: `use that one, or stop it first: kill ${record.pid}`,
  });
}

/** Makes a file that has its text from its first moment on: an empty one would pass for a killed server's. False when it is there. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  await writeFile(draft, text, { mode: 0o600, flag: "wx" });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes the file if it still holds `known`. What somebody else put there meanwhile is put back. */
async function takeAway(path: string, known: string): Promise<void> {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.stale`;
  // Renaming takes it away once, whoever else is trying.
  if (!(await rename(path, aside).then(() => true, () => false))) return;
  if ((await readFile(aside, "utf8")) !== known) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function writeToken(path: string, token: string): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  await file.writeFile(`${token}\n`);
  await file.close();
  await chmod(path, 0o600);
}

async function answers(record: ServerRecord): Promise<boolean> {
  if (!isAlive(record.pid)) return false;
  try {
    const response = await fetch(`${record.url}/beeuni/health`, { signal: AbortSignal.timeout(PATIENCE) });
    const health = (await response.json()) as { directory?: unknown };
    return health.directory === record.directory;
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function parseRecord(text: string): ServerRecord | undefined {
  try {
    const { url, pid, startedAt, directory } = JSON.parse(text) as Record<string, unknown>;
    if (typeof url !== "string" || typeof pid !== "number" || typeof startedAt !== "string" || typeof directory !== "string") return undefined;
    return { url, pid, startedAt, directory };
  } catch {
    return undefined;
  }
}
