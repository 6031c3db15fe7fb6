import { execFile } from "node:child_process";
import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { isolationLine } from "../compose/isolation.ts";
import { size } from "../render/numbers.ts";
import { type Check, ok, problem, warning } from "./check.ts";

const OLDEST_NODE = 24;
/** A harness's packages take about this much; a session little. */
const ROOM = 500_000_000;

export function nodeCheck(version: string = process.versions.node): Check {
  const major = Number(version.split(".")[0]);
  if (major >= OLDEST_NODE) return ok("node", version);
  return problem("node", `${version}; beeuni needs ${OLDEST_NODE} or newer`, "run the launcher `beeuni` of the checkout: it brings its own Node");
}

export async function gitCheck(): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"], { timeout: 10_000 });
    return ok("git", stdout.trim().replace(/^git version /, ""));
  } catch {
    return warning("git", "not found; sessions work, agents often ask for it", "install it, e.g.: sudo apt-get install git");
  }
}

export async function homeCheck(home: string): Promise<Check> {
  const existing = await nearestExisting(home);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    return problem("home", `${existing} is not writable`, "make it writable, or name another folder with BEEUNI_HOME");
  }
  const known = await stat(home).catch(() => undefined);
  if (known !== undefined && !known.isDirectory()) return problem("home", `${home} is not a folder`, "name another place with BEEUNI_HOME");
  if (known !== undefined && (known.mode & 0o077) !== 0) return warning("home", `${home} can be entered by other users`, `chmod 700 ${home}`);
  return ok("home", known === undefined ? `${home} (made on first use)` : home);
}

/** The folder, or the nearest one above it that is there. */
async function nearestExisting(folder: string): Promise<string> {
  let existing = folder;
  while (!(await stat(existing).catch(() => undefined)) && existing !== dirname(existing)) existing = dirname(existing);
  return existing;
}

export async function diskCheck(home: string): Promise<Check> {
  const { bavail, bsize } = await statfs(await nearestExisting(home));
  const free = bavail * bsize;
  if (free >= ROOM) return ok("disk", `${size(free)} free where ${home} is`);
  const check = free < ROOM / 10 ? problem : warning;
  return check("disk", `only ${size(free)} free where ${home} is`, "free some space, or name a folder on another disk with BEEUNI_HOME");
}

export function isolationCheck(directory: string): Check {
  return warning("isolation", isolationLine(directory), "until walls can be had, run it in a container or as a user of its own where that matters");
}
